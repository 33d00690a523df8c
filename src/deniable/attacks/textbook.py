"""The small tables of the literature on which attacks are explained."""

from __future__ import annotations

import pyarrow as pa

from deniable.attacks.picture import MarkedTable

ON = ("zip", "age", "nationality")
SENSITIVE = "disease"


def _table(rows: tuple[tuple[str, str, str, str], ...]) -> pa.Table:
    names = (*ON, SENSITIVE)
    return pa.table({name: [row[place] for row in rows] for place, name in enumerate(names)})


FOUR_ANONYMOUS = _table(
    (
        ("130**", "<30", "*", "heart disease"),
        ("130**", "<30", "*", "heart disease"),
        ("130**", "<30", "*", "viral infection"),
        ("130**", "<30", "*", "viral infection"),
        ("1485*", ">=40", "*", "cancer"),
        ("1485*", ">=40", "*", "heart disease"),
        ("1485*", ">=40", "*", "viral infection"),
        ("1485*", ">=40", "*", "viral infection"),
        ("130**", "3*", "*", "cancer"),
        ("130**", "3*", "*", "cancer"),
        ("130**", "3*", "*", "cancer"),
        ("130**", "3*", "*", "cancer"),
    )
)
"""A 4-anonymous hospital table (Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam 2007, figure 2)."""

HOSPITAL_A = _table(
    (
        ("130**", "<30", "*", "AIDS"),
        ("130**", "<30", "*", "heart disease"),
        ("130**", "<30", "*", "viral infection"),
        ("130**", "<30", "*", "viral infection"),
        ("130**", ">=40", "*", "cancer"),
        ("130**", ">=40", "*", "heart disease"),
        ("130**", ">=40", "*", "viral infection"),
        ("130**", ">=40", "*", "viral infection"),
        ("130**", "3*", "*", "cancer"),
        ("130**", "3*", "*", "cancer"),
        ("130**", "3*", "*", "cancer"),
        ("130**", "3*", "*", "cancer"),
    )
)
"""The first of two hospitals, 4-anonymous (Ganta, Kasiviswanathan, Smith 2008, table 1)."""

HOSPITAL_B = _table(
    (
        ("130**", "<35", "*", "AIDS"),
        ("130**", "<35", "*", "tuberculosis"),
        ("130**", "<35", "*", "flu"),
        ("130**", "<35", "*", "tuberculosis"),
        ("130**", "<35", "*", "cancer"),
        ("130**", "<35", "*", "cancer"),
        ("130**", ">=35", "*", "cancer"),
        ("130**", ">=35", "*", "cancer"),
        ("130**", ">=35", "*", "cancer"),
        ("130**", ">=35", "*", "tuberculosis"),
        ("130**", ">=35", "*", "viral infection"),
        ("130**", ">=35", "*", "viral infection"),
    )
)
"""The second, 6-anonymous."""

THREE_DIVERSE = pa.table(
    {
        "zip": ["476**"] * 3 + ["4790*"] * 3 + ["476**"] * 3,
        "age": ["2*"] * 3 + [">=40"] * 3 + ["3*"] * 3,
        "salary": ["3K", "4K", "5K", "6K", "11K", "8K", "7K", "9K", "10K"],
        "disease": [
            *("gastric ulcer", "gastritis", "stomach cancer"),
            *("gastritis", "flu", "bronchitis"),
            *("bronchitis", "pneumonia", "stomach cancer"),
        ],
    }
)
"""A 3-diverse table of salaries and diseases (Li, Li, Venkatasubramanian 2007, table 4)."""

CATEGORIES = {
    "gastric ulcer": "stomach disease",
    "gastritis": "stomach disease",
    "stomach cancer": "stomach disease",
    "flu": "respiratory disease",
    "bronchitis": "respiratory disease",
    "pneumonia": "respiratory disease",
}
"""What everybody knows about these diseases."""


def sheet(table: pa.Table, title: str, bright: frozenset[tuple[int, int]]) -> MarkedTable:
    """A table as a picture."""
    columns = [table[name].to_pylist() for name in table.column_names]
    return MarkedTable(title, tuple(table.column_names), tuple(zip(*columns, strict=True)), bright)
