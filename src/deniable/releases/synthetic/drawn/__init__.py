"""Rows that are like the estimates: drawn by a pairwise field or a tree, settled, and without what can never be."""
