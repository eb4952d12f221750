"""Tool rounds: the calls of one assistant message, run and answered so that none is lost."""
