"""How results look to people, wherever they look: one sheet, drawn in terminals and notebooks, and one way into files.

    result -> sheet -> terminal | notebook;   table -> frames (pandas, Polars, files) | picture

What is not installed everywhere (rich's tables, matplotlib, pandas, Polars) is loaded when it is drawn or asked for.
"""

from deniable.display.result import Shown, Tabular
from deniable.display.sheet import Sheet, SheetColumn

__all__ = ["Sheet", "SheetColumn", "Shown", "Tabular"]
