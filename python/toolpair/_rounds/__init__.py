"""Tool rounds: the calls of one assistant message, run and answered so that none is lost.

Only the package's front and `toolpair.testing` import from here: what checks, repairs and trims
knows of no tool.
"""
