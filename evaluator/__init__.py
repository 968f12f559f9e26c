"""Touchstone's evaluator: statistics, file formats, scoring and reports, free of Django."""

__version__ = "0.1.0"
