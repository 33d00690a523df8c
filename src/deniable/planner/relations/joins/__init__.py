"""Rows side by side: what may be joined, in which order, what a unit owns afterwards, and how much it can become."""
