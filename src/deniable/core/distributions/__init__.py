"""Distributions that intervals and conversions rest on: the normal one, binomials, quantiles, dominating pairs."""
