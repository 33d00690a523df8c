"""Synthetic tables: how far single columns, pairs and triples are off, beside other synthesizers."""
