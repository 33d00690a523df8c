"""A private profile of all tables: what a custodian needs to know before any bounds are declared.

The order: cells (public, they cover every number), people (rows per person, and what a contribution leaves out),
histogram (values of a column: quantiles, what lies outside of bounds), profile (all of it), suggest, page.
"""
