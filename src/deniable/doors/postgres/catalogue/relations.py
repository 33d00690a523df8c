"""The tables of PostgreSQL's catalogue, as DuckDB's: names and types of their columns, and all built-in types."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib.resources import files

_PLAIN = {
    "boolean": "BOOLEAN",
    "smallint": "SMALLINT",
    "integer": "INTEGER",
    "bigint": "BIGINT",
    "real": "FLOAT",
    "oid": "UINTEGER",
    "xid": "UINTEGER",
    "timestamptz": "TIMESTAMP",
    "oidvector": "UINTEGER[]",
    "int2vector": "SMALLINT[]",
    "information_schema.cardinal_number": "INTEGER",
}
"""What is not listed is a text. Object numbers are the only ones without a sign, by which we know them."""

HOMES = {"pg_catalog": "pgc", "information_schema": "ischema"}
"""DuckDB has schemas of these names, which speak of DuckDB."""
_ALIASES = {
    "bool": "boolean",
    "int8": "bigint",
    "int2": "smallint",
    "int4": "integer",
    "float4": "real",
    "float8": "double precision",
    "varchar": "character varying",
    "bpchar": "character",
    "timestamp": "timestamp without time zone",
    "timestamptz": "timestamp with time zone",
    "time": "time without time zone",
    "timetz": "time with time zone",
    "char": '"char"',
    "varbit": "bit varying",
}
"""How `format_type` writes a type."""


@cache
def relations() -> dict[tuple[str, str], tuple[tuple[str, str], ...]]:
    """By schema and name: columns, each with DuckDB's type."""
    found = {}
    for line in _lines("relations.tsv"):
        full, columns = line.split("\t")
        schema, _, name = full.partition(".")
        pairs = (one.rsplit(":", 1) for one in columns.split(" "))
        found[schema, name] = tuple((column, _type(kind)) for column, kind in pairs)
    return found


@cache
def types() -> tuple[dict[str, str], ...]:
    """Every built-in type, as pg_type has it."""
    head, *lines = _lines("types.tsv")
    names = head.split("\t")
    return tuple(dict(zip(names, line.split("\t"), strict=True)) for line in lines)


@cache
def written() -> dict[int, str]:
    """What `format_type` says of each type."""
    names = {int(one["oid"]): one["typname"] for one in types()}
    plain = {oid: _ALIASES.get(name, name) for oid, name in names.items()}
    arrays = {int(one["typarray"]): plain[int(one["oid"])] + "[]" for one in types() if one["typarray"] != "0"}
    return {**plain, **arrays}


@cache
def oids() -> dict[str, int]:
    """The number of a type, by each of its names."""
    short = {one["typname"]: int(one["oid"]) for one in types()}
    return {**{name: oid for oid, name in written().items()}, **short, "int": 23, "decimal": 1700, "float": 701}


def schema() -> Iterator[str]:
    """The statements that make all tables."""
    for home in HOMES.values():
        yield f"CREATE SCHEMA {home}"
    for (space, name), columns in relations().items():
        declared = ", ".join(f'"{column}" {kind}' for column, kind in columns)
        yield f"CREATE TABLE {HOMES[space]}.{name} ({declared})"


def _type(kind: str) -> str:
    if kind.endswith("[]"):
        return _type(kind[:-2]) + "[]"
    return _PLAIN.get(kind, "VARCHAR")


def _lines(name: str) -> list[str]:
    return files(__package__).joinpath(name).read_text(encoding="utf-8").splitlines()
