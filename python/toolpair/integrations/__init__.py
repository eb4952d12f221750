"""One library a module, and each an extra: import the module of the library that you use.

`toolpair` itself imports none of them. A module that ends in a library's name needs that library;
those with an underscore are what they share.
"""
