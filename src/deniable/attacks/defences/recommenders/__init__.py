"""Recommenders: they rank advertisements by what they know of the visitor."""
