"""All kernels, so that each is known by its name."""

from deniable.core.vectors.column_sums import ColumnSums
from deniable.core.vectors.gram import Gram
from deniable.core.vectors.grid_cells import GridCells
from deniable.core.vectors.hits import Hits, SquaredErrors
from deniable.core.vectors.nearest_centres import NearestCentres
from deniable.core.vectors.residuals import Residuals
from deniable.core.vectors.target_products import ClassSums, TargetProducts, TargetSquares

KERNELS = (
    ClassSums,
    ColumnSums,
    Gram,
    GridCells,
    Hits,
    NearestCentres,
    Residuals,
    SquaredErrors,
    TargetProducts,
    TargetSquares,
)
