"""A question from buttons: which table, what, by what, where. It writes the SQL that anyone could have written."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import urlencode

from sqlglot import TokenType, tokenize

from deniable.core.algebra.expression import Kind
from deniable.policy import Policy
from deniable.policy.column import DeclaredColumn
from deniable.policy.table import DeclaredTable

_PLAIN = re.compile(r"[a-z_][a-z0-9_]*\Z")
_FEW = 40
"""Whole numbers with no more values than these are offered as groups."""
_MEASURES = {"average": "AVG", "total": "SUM", "median": "MEDIAN"}
SIGNS = {"is": "=", "is not": "<>", "is at least": ">=", "is at most": "<="}
_PARTS = {"month": "by month", "week": "by week", "day": "by day"}
Choice = tuple[str, str]
"""What a form sends, and what a person reads."""


@dataclass(frozen=True, slots=True)
class Built:
    """What was chosen so far.

    Example:
        >>> chosen = {"table": "visits", "what": "average cost", "by": "region"}
        >>> Built.read(chosen).where
        ''
    """

    table: str = ""
    what: str = ""
    by: str = ""
    where: str = ""
    sign: str = "is"
    value: str = ""

    @property
    def words(self) -> str:
        """For people: what is asked, and by what."""
        kind, _, column = self.what.partition(" ")
        said = f"the {kind} {column}" if column else f"how many {self.table} there are"
        return f"{said}{f', for each {self.by}' if self.by else ''}"

    @property
    def address(self) -> str:
        """What it is called in an address."""
        return urlencode({"table": self.table, "what": self.what, "by": self.by})

    @classmethod
    def read(cls, sent: Mapping[str, str]) -> Built:
        """What the form has sent; another table begins anew."""
        names = ("table", "what", "by", "where", "sign", "value")
        return cls(**{name: sent[name] for name in names if name in sent})

    def choices(self, policy: Policy) -> dict[str, list[Choice]]:
        """What can be chosen next, by the policy alone."""
        tables = [(name, name) for name, table in policy.tables.items() if not table.public]
        table = policy.tables.get(self.table)
        if table is None:
            return {"table": tables, "what": [], "by": [], "where": []}
        columns = [column for column in table.columns.values() if column.name != table.unit]
        return {
            "table": tables,
            "what": [("rows", f"how many {table.name}"), *_people(table), *_measured(columns)],
            "by": [one for column in columns for one in _groups(column)],
            "where": [(column.name, column.name) for column in columns],
        }

    def values(self, policy: Policy) -> tuple[str, ...]:
        """Declared values of the column in the condition, to choose from."""
        column = self._column(policy, self.where)
        if column is None:
            return ()
        if column.kind is Kind.BOOLEAN:
            return ("true", "false")
        return tuple(str(value) for value in column.values or ())

    def sql(self, policy: Policy) -> str:
        """The question; nothing, until a table and what to count are chosen."""
        table, offered = policy.tables.get(self.table), self.choices(policy)
        if table is None or self.what not in dict(offered["what"]):
            return ""
        measured, name = self._measure(table)
        selected, grouped = f"{measured} AS {name}", ""
        if self.by in dict(offered["by"]):
            key, title = _key(self.by)
            selected = f"{key}{'' if key == title else f' AS {title}'}, {selected}"
            grouped = f"\nGROUP BY {key}\nORDER BY {title}"
        return f"SELECT {selected}\nFROM {quoted(table.name)}{self._condition(policy)}{grouped}"

    def _measure(self, table: DeclaredTable) -> tuple[str, str]:
        if self.what == "rows":
            return "COUNT(*)", quoted(f"{table.name}_counted")
        if self.what == "people":
            return f"COUNT(DISTINCT {quoted(table.unit or '')})", "people"
        kind, _, column = self.what.partition(" ")
        return f"{_MEASURES[kind]}({quoted(column)})", quoted(f"{kind}_{column}")

    def _condition(self, policy: Policy) -> str:
        column = self._column(policy, self.where)
        if column is None or not self.value.strip():
            return ""
        return f"\nWHERE {quoted(column.name)} {SIGNS.get(self.sign, '=')} {_literal(column, self.value.strip())}"

    def _column(self, policy: Policy, name: str) -> DeclaredColumn | None:
        table = policy.tables.get(self.table)
        return None if table is None else table.columns.get(name)


def first_example(policy: Policy) -> Built | None:
    """A first question that this policy allows: an average for each of a few groups, or a count."""
    for name, table in policy.tables.items():
        if table.public:
            continue
        choices = Built(table=name).choices(policy)
        averages = [value for value, _ in choices["what"] if value.startswith("average ")]
        averages.sort(key=lambda value: table.columns[value.partition(" ")[2]].kind is not Kind.NUMBER)
        what = averages[0] if averages else "rows"
        listed = [value for value, _ in choices["by"] if table.columns.get(value) and table.columns[value].values]
        return Built(name, what, by=listed[0] if listed else "")
    return None


@lru_cache(maxsize=10_000)
def quoted(name: str) -> str:
    """A name in SQL, in quotes where it needs them: a column may be called "when", or "null"."""
    plain = _PLAIN.match(name) and [one.token_type for one in tokenize(name, dialect="duckdb")] == [TokenType.VAR]
    return name if plain else '"{}"'.format(name.replace('"', '""'))


def _people(table: DeclaredTable) -> list[Choice]:
    return [] if table.unit is None else [("people", f"how many different {table.unit}")]


def _measured(columns: list[DeclaredColumn]) -> list[Choice]:
    """Numbers that have bounds."""
    numbers = [one for one in columns if one.kind in (Kind.INTEGER, Kind.NUMBER) and one.low is not None]
    return [(f"{kind} {one.name}", f"{kind} of {one.name}") for one in numbers for kind in _MEASURES]


def _groups(column: DeclaredColumn) -> list[Choice]:
    """Keys that the policy knows; of days, parts of the calendar."""
    if column.kind is Kind.DATE and column.low is not None:
        return [(f"{column.name} {part}", f"{column.name}, {words}") for part, words in _PARTS.items()]
    low, high = column.expression.range.low, column.expression.range.high
    few = column.kind is Kind.INTEGER and low is not None and high is not None and high - low <= _FEW
    listed = column.values is not None or column.kind is Kind.BOOLEAN or few
    return [(column.name, column.name)] if listed else []


def _key(by: str) -> Choice:
    column, _, part = by.rpartition(" ")
    if column and part in _PARTS:
        return (quoted(column), quoted(column)) if part == "day" else (f"DATE_TRUNC('{part}', {quoted(column)})", part)
    return quoted(by), quoted(by)


def _literal(column: DeclaredColumn, value: str) -> str:
    """As SQL writes it: whatever is no number is a text, in which nothing can end but the text."""
    if column.kind is Kind.BOOLEAN:
        return "TRUE" if value.lower() in {"true", "yes", "1"} else "FALSE"
    if column.kind in (Kind.INTEGER, Kind.NUMBER) and re.fullmatch(r"-?\d+(\.\d+)?", value):
        return value
    text = "'{}'".format(value.replace("'", "''"))
    return f"DATE {text}" if column.kind is Kind.DATE else text
