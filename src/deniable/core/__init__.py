"""Shared nouns: exact numbers, the grid, losses and guarantees, exact samplers. No input, no output."""
