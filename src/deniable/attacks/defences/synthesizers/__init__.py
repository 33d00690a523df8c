"""Defences that publish made-up rows."""
