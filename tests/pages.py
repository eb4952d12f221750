"""Pages of Markdown whose code is run: what they show is what is printed.

`python tests/pages.py` writes what they show anew.
"""
