"""Rows as vectors of whole numbers, and the exact sums over them that models are trained on.

    design      which coordinates rows have, how long a row may be, how much of them one unit is: public facts
    batch       rows as they come from an engine become vectors that are short enough
    kernel      what a sum is: how far one unit moves it, and how it is added up, batch by batch
    gram, target_products, column_sums, residuals, nearest_centres, grid_cells, hits, errors    one kernel per file

Every number is a whole number. Matrices hold them as doubles, which are exact below 2^53, and no batch adds up to more;
batches are added up as Python's own integers.
"""
