"""The version, for whoever says what numbers were computed with."""

__version__ = "0.2.0"
