"""The pytest plugin: silent unless it is asked for."""
