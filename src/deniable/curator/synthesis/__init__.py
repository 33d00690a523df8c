"""Synthetic tables as a purchase: cells as queries, bins from noisy counts, and the rounds of one charge."""
