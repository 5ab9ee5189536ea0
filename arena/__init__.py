"""The arena: a referee and tournament runner for external game engines."""

__version__ = "0.1.0"
