"""Totals by several sets of keys at once, over rows that are read once."""

from __future__ import annotations

from collections.abc import Sequence

from deniable.core.algebra.expression import Column, Kind
from deniable.core.algebra.query import Key, MarginalSums
from deniable.engines.sql.dialect import Dialect
from deniable.engines.sql.statements.rows import Rows, select
from deniable.engines.sql.statements.sums import Adding
from deniable.engines.sql.statements.weights import heavy, weights


def marginals(rows: Rows, totals: list[Adding], query: MarginalSums) -> str:
    """Rows are read once for all sets.

    Where they are only counted, keys are worked out once, not once for each set, and kept in as few bytes as they need.
    """
    integer = rows.dialect.types[Kind.INTEGER]
    keys = [f"{_stranger(rows)}{place}" for place in range(len(rows.named))]
    sets = ", ".join(f"({', '.join(keys[place] for place in places)})" for places in query.sets)
    labelled = [f"{value} AS {key}" for value, key in zip(rows.values, keys, strict=True)]
    left = f"{_left(keys, rows.dialect)} AS g"

    def by_sets(columns: list[str], source: str) -> str:
        return select(columns, source) + f" GROUP BY GROUPING SETS ({sets})"

    def part(sums: list[str], source: str, *more: str) -> str:
        if rows.dialect.groups_by_label:
            return by_sets([*labelled, left, *sums], source)
        return by_sets([*keys, left, *sums], f"({select(['r.*', *labelled, *more], source)}) AS r")

    said = f"CAST(g AS {integer}) AS {rows.dialect.quoted(query.left)}"
    names = [*rows.answered(keys), said]
    finals = [rows.finished(f"t{place}", adding.total.name) for place, adding in enumerate(totals)]
    small = [_small(value, key, rows.dialect) for value, key in zip(rows.values, rows.named, strict=True)]
    kept = [f"{value} AS {key}" for value, key in zip(small, keys, strict=True)]
    wide = [
        *rows.answered(
            f"CAST({key} AS {integer})" if one.value.kind is Kind.INTEGER else key
            for key, one in zip(keys, rows.named, strict=True)
        ),
        said,
    ]
    if rows.source.unit is None:
        added = [f"{adding.plain()} AS t{place}" for place, adding in enumerate(totals)]
        if any(adding.reads for adding in totals):
            return rows.with_steps({"parts": part(added, rows.chosen())}, select([*names, *finals], "parts"))
        steps = {"keyed": select(kept, rows.chosen()), "parts": by_sets([*keys, left, *added], "keyed")}
        return rows.with_steps(steps, select([*wide, *finals], "parts"), kept="keyed")
    if not any(adding.reads for adding in totals):
        weight = f"{_stranger(rows)}w"  # as above, keys are worked out once, here with what the row weighs
        joined = rows.beside("weights")
        keyed = select([*kept, f"weights.weight AS {weight}"], joined)
        added = [f"{adding.weighed(weight)} AS t{place}" for place, adding in enumerate(totals)]
        steps = {"weights": weights(rows), "keyed": keyed, "parts": by_sets([*keys, left, *added], "keyed")}
        return rows.with_steps(steps, select([*wide, *finals], "parts"), kept="keyed")
    full = [f"{adding.full()} AS t{place}" for place, adding in enumerate(totals)]
    weight = "heavy.weight" if rows.dialect.groups_by_label else f"r.{_stranger(rows)}w"
    less = [f"{adding.correction(weight)} AS t{place}" for place, adding in enumerate(totals)]
    sums = [rows.finished(rows.dialect.added(f"t{place}"), adding.total.name) for place, adding in enumerate(totals)]
    joined = rows.beside("heavy")
    both = f"{part(full, rows.chosen())}\nUNION ALL {part(less, joined, f'heavy.weight AS {_stranger(rows)}w')}"
    return rows.with_steps({"heavy": heavy(rows), "parts": both}, select([*names, *sums], "parts", len(names)))


def _left(keys: Sequence[str], dialect: Dialect) -> str:
    """Which keys a row lacks, in bits: so many keys at a time as the engine says that of."""
    parts = []
    for start in range(0, len(keys), dialect.grouped):
        some = keys[start : start + dialect.grouped]
        bits = f"{dialect.grouping}({', '.join(some)})"
        behind = len(keys) - start - len(some)
        parts.append(f"CAST({bits} AS {dialect.types[Kind.INTEGER]}) * {1 << behind}" if behind else bits)
    return " + ".join(parts)


def _stranger(rows: Rows) -> str:
    """The beginning of names that no column has: in a list of sets, columns would come before what is named here."""
    start = "k"
    while any(name.lower().startswith(start) for name in rows.speller.columns):
        start += "_"
    return start


def _small(value: str, key: Key, dialect: Dialect) -> str:
    """A column that is clamped to bounds which fit one or two bytes, in those: nothing can overflow."""
    low, high = key.value.range.low, key.value.range.high
    if (
        not isinstance(key.value, Column)
        or key.value.kind is not Kind.INTEGER
        or low is None
        or high is None
        or low < 0
    ):
        return value
    fitting = [kind for kind, most in dialect.small.items() if high <= most]
    return f"CAST({value} AS {fitting[0]})" if fitting else value
