"""docs/engines.md lists what each engine cannot compute: no more, no less."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

from deniable.core.algebra.expression import Call, Column, Expression, Kind, Literal
from deniable.core.algebra.relation import Numbered
from deniable.engines.duckdb.dialect import DuckDBDialect
from deniable.engines.engine import GapError
from deniable.engines.postgres.dialect import PostgresDialect
from deniable.engines.spark.dialect import SparkDialect
from deniable.engines.sql.dialect import Dialect
from deniable.engines.sql.relations import Tables, spelled
from deniable.engines.sql.spelling import Speller

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/engines.md").read_text()
ROWS = {
    cells[0].strip(): [cell.strip() for cell in cells[1:]]
    for line in PAGE.partition("## Gaps")[2].splitlines()
    if line.startswith("| ") and (cells := line.strip("|").split("|"))[0].strip() not in ("what", "---")
}
SAID = {
    message
    for file in (ROOT / "src/deniable/engines").rglob("*.py")
    for message in re.findall(r"""(?:GapError|_gap)\(\"([^"]+)\"\)""", file.read_text())
}
"""What refusals say, as it stands in the code."""
TEXT, REAL = Column("t", Kind.TEXT), Column("x", Kind.NUMBER)


def _text(value: str) -> Literal:
    return Literal(value, Kind.TEXT)


TRIED: dict[str, Expression | Numbered] = {
    "regular expressions": Call("matches", (TEXT, _text("a")), Kind.BOOLEAN),
    "times of day": Column("p", Kind.TIME),
    "real numbers as texts": Call("to_text", (REAL,), Kind.TEXT),
    "joins of tables whose rows are the units": Numbered("t"),
    "`REVERSE` of a text": Call("reverse", (TEXT,), Kind.TEXT),
    "texts with a zero byte": Call("equal", (TEXT, _text("\x00")), Kind.BOOLEAN),
    "names with a zero byte": Column("\x00", Kind.TEXT),
    "patterns that count further than 255": Call("matches", (TEXT, _text("a{256}")), Kind.BOOLEAN),
    "patterns with more than 255 parts that may be missing": Call(
        "matches", (TEXT, _text("((a?){16}){16}")), Kind.BOOLEAN
    ),
    r"patterns with \D, \W or \S in brackets": Call("matches", (TEXT, _text(r"[a\D]")), Kind.BOOLEAN),
    "remainders of real numbers": Call("remainder", (REAL, Literal(Fraction(2), Kind.NUMBER)), Kind.NUMBER),
}
"""Each row, as something that is spelled."""


def _spelled(dialect: Dialect, expression: Expression | Numbered) -> bool:
    names = {"t": Kind.TEXT, "x": Kind.NUMBER, "p": Kind.TIME, "\x00": Kind.TEXT}
    if isinstance(expression, Numbered):
        tables = Tables(lambda _: {}, lambda table: table, dialect)
        return _is_possible(lambda: spelled(expression, tables))
    try:
        stored = {name: dialect.found(f"r.{dialect.quoted(name)}", dialect.types[kind]) for name, kind in names.items()}
    except GapError:
        stored = {
            name: dialect.found(f"r.{name}", dialect.types[kind]) for name, kind in names.items() if name.isalpha()
        }
        if expression == TRIED["names with a zero byte"]:
            return False
    return _is_possible(lambda: Speller(stored, dialect).spell(expression))


def _is_possible(spell: Callable[[], object]) -> bool:
    try:
        spell()
    except GapError:
        return False
    return True


@pytest.mark.parametrize("what", ROWS)
def test_every_row_of_the_table_is_so(what: str) -> None:
    said = [cell.startswith("yes") for cell in ROWS[what]]
    assert said == [_spelled(dialect, TRIED[what]) for dialect in (DuckDBDialect(), PostgresDialect(), SparkDialect())]


def test_every_gap_in_the_code_has_a_row() -> None:
    assert set(TRIED) == set(ROWS)
    assert len(SAID) == len(ROWS), SAID
