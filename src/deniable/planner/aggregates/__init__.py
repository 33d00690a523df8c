"""What each aggregate is made of: base statistics that the columns of an answer share.

The order: table (every aggregate, a row each), written (which row a question means), makers (what it is made of), which
rest on statistics (whole-number sums) and quantiles (choices by rank or by count).
"""
