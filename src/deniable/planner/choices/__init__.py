"""Statistics that are chosen and not computed: quantiles, extremes, most common values.

The order: syntax (how they are written), histogram (what is chosen from), summed and around (the
interval of a quantile), price, running_counts (many for one price).
"""
