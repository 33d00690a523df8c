"""The queries that one would write by hand for each engine, to be measured beside ours."""

from __future__ import annotations

from dataclasses import dataclass

from deniable.core.algebra.query import WEIGHT

CONTRIBUTION = 20
_CENTS = "CAST(floor(CASE WHEN cost BETWEEN {0} AND {1} THEN cost WHEN cost < {0} THEN {0} WHEN cost > {1} THEN {1} END"
_AGE = "CASE WHEN age BETWEEN 0 AND 110 THEN age WHEN age < 0 THEN 0 WHEN age > 110 THEN 110 END"


@dataclass(frozen=True, slots=True)
class Words:
    """What a query by hand calls things in each engine."""

    whole: str
    divided: str
    low: str
    high: str
    hundred: str
    half: str

    @property
    def cents(self) -> str:
        """A cost on the grid, in integers."""
        return f"{_CENTS.format(self.low, self.high)} * {self.hundred} + {self.half}) AS {self.whole})"


DUCKDB = Words("BIGINT", "//", "0e0", "500e0", "100e0", "0.5e0")
POSTGRES = Words("bigint", "/", "0::float8", "500::float8", "100::float8", "0.5::float8")
SPARK = Words("BIGINT", "DIV", "0D", "500D", "100D", "0.5D")


def by_hand(words: Words, table: str) -> dict[str, str]:
    """Three ways to bound what a person adds, and the query that bounds nothing."""
    scaled, big = CONTRIBUTION * WEIGHT, words.whole
    sums = f"COUNT(*) AS n, SUM({words.cents}) AS s, SUM({_AGE}) AS a"
    weighed = "SUM(weight) AS n, SUM(x * weight) AS s, SUM(y * weight) AS a"
    known = "WHERE person IS NOT NULL"
    size = f"{scaled} {words.divided} COUNT(*)"
    heavy = f"SELECT person, {size} AS weight FROM {table} {known} GROUP BY 1 HAVING COUNT(*) > {CONTRIBUTION}"
    full = f"SELECT region, COUNT(*) * {WEIGHT} AS n, SUM({words.cents}) * {WEIGHT} AS s, SUM({_AGE}) * {WEIGHT} AS a"
    less = ", ".join(
        f"SUM({value} * (h.weight - {WEIGHT})) AS {name}"
        for value, name in (("1", "n"), (words.cents, "s"), (f"({_AGE})", "a"))
    )
    windowed = f"LEAST({WEIGHT}, {scaled} {words.divided} COUNT(*) OVER (PARTITION BY person)) AS weight"
    return {
        "not bounded": f"SELECT region, {sums} FROM {table} GROUP BY 1",
        "heavy people corrected": f"WITH h AS ({heavy}), p AS ({full} FROM {table} {known} GROUP BY 1 UNION ALL "
        f"SELECT region, {less} FROM {table} JOIN h USING (person) GROUP BY 1) "
        f"SELECT region, CAST(SUM(n) AS {big}) AS n, CAST(SUM(s) AS {big}) AS s, CAST(SUM(a) AS {big}) AS a "
        "FROM p GROUP BY 1",
        "a weight for everybody": f"WITH w AS (SELECT person, LEAST({WEIGHT}, {size}) AS weight FROM {table} {known} "
        f"GROUP BY 1), q AS (SELECT region, weight, {words.cents} AS x, {_AGE} AS y "
        f"FROM {table} JOIN w USING (person)) "
        f"SELECT region, {weighed} FROM q GROUP BY 1",
        "a window over each person": f"SELECT region, {weighed} FROM (SELECT region, {words.cents} AS x, {_AGE} AS y, "
        f"{windowed} FROM {table} {known}) AS q GROUP BY 1",
    }
