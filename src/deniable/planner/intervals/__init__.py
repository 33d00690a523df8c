"""Intervals of whatever is computed from noisy statistics, by the law of their combined noise and not by worst cases.

The order: law (how far a combination of noises reaches), forms (which expressions are combinations, or quotients of
two), fieller (quotients), moments (variances, slopes, correlations), columns (an output, taken apart into such pieces).
"""
