"""What each aggregate is made of: base statistics that the columns of an answer share.

The order: statistics (whole-number sums), chosen (quantiles and modes), aggregates (the makers).
"""
