"""How values become coarser, level by level: kinds of hierarchies, how they are written, and quasi-identifiers."""
