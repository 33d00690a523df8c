"""Defences that publish a table once."""
