"""Doors to a served curator: each speaks a protocol that tools know, translates, and never decides."""
