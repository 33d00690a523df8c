"""A curator for sensitive tables: private answers, exact noise, sound accounts."""

__version__ = "0.1.0"
