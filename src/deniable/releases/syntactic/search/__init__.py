"""Finding the best table that meets its models.

The order: cells (one group-by), lattice and classes, losses, optimum, local or mondrian, recoding;
nearest if nothing fits.
"""
