"""Workloads as a purchase: from wanted counts to cells, strategy and price, and one query for all of them."""
