"""Attacks on published tables: linkage, homogeneity, background knowledge, skewness, composition, uniqueness."""
