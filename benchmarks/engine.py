"""The engine beside plain DuckDB: `python -m benchmarks.engine`.

Ten million visits of a million people in fifty regions. Rows as units against the plain query, people as units against
the best of three hand-written queries that bound what a person adds.
"""

from __future__ import annotations

import argparse
import tempfile
from fractions import Fraction
from pathlib import Path

import duckdb

from benchmarks.race import Race
from deniable.core.algebra.expression import Call, Column, Kind, Literal, Range
from deniable.core.algebra.query import WEIGHT, Key, Source, Sums, Total

SHIFT = 7
REACH = 25_000

COST = Column("cost", Kind.NUMBER, Range(Fraction(0), Fraction(500)))
REGION = Key("region", Column("region", Kind.TEXT))
DAY = Key("day", Column("day", Kind.DATE))

QUESTIONS = {
    "one COUNT": ((), False),
    "COUNT, SUM by 50 regions": ((REGION,), True),
    "COUNT, SUM by 18,250 groups": ((REGION, DAY), True),
}
"""Keys, and whether costs are added up too."""


def main() -> None:
    """Make the visits, then print a table for each kind of unit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--contribution", type=int, default=20, help="the most visits of one person that count")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        visits = Path(folder) / "visits.parquet"
        _make(visits, options.rows)
        print(
            f"{options.rows:,} rows, {options.rows // 10:,} people, {visits.stat().st_size / 1e6:.0f} MB of Parquet\n"
        )
        for unit in (None, "person"):
            for question, (keys, sums) in QUESTIONS.items():
                race = Race({"visits": visits}, _candidates(keys, unit, options.contribution, sums=sums))
                race.run(options.runs)
                race.show(f"{question}, unit = {unit or 'row'}")
                if unit is None:
                    print(f"  within 1.3 times plain plus 50 ms: {race.within(1.3, 0.05)}\n")


def _make(path: Path, rows: int) -> None:
    """A few people come often: a tenth of them have more than twenty visits."""
    with duckdb.connect() as connection:
        connection.execute("SET preserve_insertion_order = false")
        connection.execute("SELECT setseed(0.5)")
        columns = (
            f"CAST(FLOOR({rows // 10} * POW(random(), 1.6)) AS BIGINT) AS person",
            "ROUND(random() * 500, 2) AS cost",
            "format('region {:02}', CAST(FLOOR(50 * POW(random(), 1.3)) AS INTEGER)) AS region",
            "DATE '2025-01-01' + CAST(FLOOR(random() * 365) AS INTEGER) AS day",
        )
        connection.execute(f"COPY ({_select(list(columns), f'range({rows})', [])}) TO '{path}'")


def _candidates(keys: tuple[Key, ...], unit: str | None, contribution: int, *, sums: bool) -> dict[str, str | Sums]:
    """Our query, and what one would write by hand for the same question."""
    one = Literal(Fraction(1), Kind.INTEGER)
    constants = (Literal(Fraction(250), Kind.INTEGER), Literal(Fraction(1, 100), Kind.NUMBER))
    place = (COST, *constants, Literal(Fraction(REACH), Kind.INTEGER))
    row = Call("grid", place, Kind.INTEGER, Range(Fraction(-REACH), Fraction(REACH)))
    totals = (Total("n", one, None, 1, 0), Total("cost", row, None, REACH, SHIFT if unit else 0))
    ours = Sums(Source("visits", unit, contribution, None), keys, totals if sums else totals[:1])
    names = [key.name for key in keys]
    others = {"plain": _plain(names, sums=sums)} if unit is None else _bounded(names, contribution, sums=sums)
    return {"ours": ours} | others


def _plain(keys: list[str], *, sums: bool) -> str:
    return _select([*keys, "COUNT(*) AS n", *(["SUM(cost) AS cost"] if sums else [])], "visits", keys)


def _bounded(keys: list[str], contribution: int, *, sums: bool) -> dict[str, str]:
    """By weights for everybody, by weights for the heavy, and by adding up each person first."""
    cents = "CAST(FLOOR((LEAST(GREATEST(cost, 0), 500) - 250) / 0.01 + 0.5) AS BIGINT)"
    scaled = contribution * WEIGHT

    def weighed(weight: str) -> list[str]:
        return [*keys, f"SUM({weight}) AS n", *([f"SUM({cents} * {weight} // 128) AS cost"] if sums else [])]

    everybody = _select(["person", f"LEAST({WEIGHT}, {scaled} // COUNT(*)) AS weight"], "visits", ["person"])
    heavy = _select(["person", f"{scaled} // COUNT(*) AS weight"], "visits", ["person"])
    heavy += f" HAVING COUNT(*) > {contribution}"
    first = ["person", *keys, "COUNT(*) AS n", *([f"SUM({cents}) AS cents"] if sums else [])]
    apart = _select(first, "visits", ["person", *keys])
    weights = _select(["person", f"LEAST({WEIGHT}, {scaled} // SUM(n)) AS weight"], "apart", ["person"])
    added = [*keys, "SUM(n * weight) AS n", *(["SUM(cents * weight // 128) AS cost"] if sums else [])]
    return {
        "weights for all": f"WITH w AS ({everybody}) "
        + _select(weighed("weight"), "visits JOIN w USING (person)", keys),
        "weights for the heavy": f"WITH w AS ({heavy}) "
        + _select(weighed(f"COALESCE(weight, {WEIGHT})"), "visits LEFT JOIN w USING (person)", keys),
        "people first": f"WITH apart AS ({apart}), w AS ({weights}) "
        + _select(added, "apart JOIN w USING (person)", keys),
    }


def _select(columns: list[str], source: str, keys: list[str]) -> str:
    grouped = f" GROUP BY {', '.join(keys)}" if keys else ""
    return f"SELECT {', '.join(columns)} FROM {source}{grouped}"


if __name__ == "__main__":
    main()
