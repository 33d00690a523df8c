"""How accurate a study can be, before it starts: by each way of asking, and by anyone at all.

The order: one_fraction (its error, and the people that a wanted error takes), many_fractions, limits.
"""
