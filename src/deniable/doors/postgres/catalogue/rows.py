"""What is in the catalogue: the policy's tables and columns, what is said of them, and what every database has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from deniable.core.algebra.expression import Kind
from deniable.doors.postgres.catalogue.relations import types
from deniable.doors.postgres.types import FLOAT8, INT8, TEXT, oid_of, size_of
from deniable.policy import DeclaredColumn, DeclaredTable, Policy

Row = Mapping[str, object]
OWNER, CLASS, FIRST = 10, 1259, 16_384
SPACES = {"pg_catalog": 11, "public": 2200, "information_schema": 13_000, "deniable": 13_100, "dummy": 13_101}
_SAYS = {
    "public": "the tables of the policy",
    "deniable": "your budget and history, and what is declared of each column",
    "dummy": "made-up rows that fit the policy, free to look at",
}
_NAMES = {INT8: "bigint", FLOAT8: "double precision", TEXT: "text", 16: "boolean", 1082: "date"}
_NAMES |= {1083: "time without time zone", 1114: "timestamp without time zone"}
_SHORT = {INT8: "int8", FLOAT8: "float8", TEXT: "text", 16: "bool", 1082: "date"}
_SHORT |= {1083: "time", 1114: "timestamp"}
_MOST_VALUES = 12
USER = "$user"
"""Stands for whoever is connected."""

OWN_TABLES = {
    "budget": (("account", TEXT), ("sum", TEXT), ("cap", FLOAT8), ("spent", FLOAT8), ("left", FLOAT8)),
    "history": (
        *(("entry", INT8), ("charged", TEXT), ("analyst", TEXT), ("question", TEXT)),
        *(("loss", TEXT), ("epsilon", FLOAT8), ("rho", FLOAT8), ("shown", 16)),
    ),
    "columns": (
        *(("table_name", TEXT), ("column_name", TEXT), ("type", TEXT), ("low", TEXT), ("high", TEXT)),
        *(("step", TEXT), ("values", TEXT), ("nulls", 16), ("says", TEXT)),
    ),
}
"""The tables of the schema `deniable`."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A table that clients see."""

    oid: int
    schema: str
    name: str
    columns: tuple[tuple[str, int, str, bool], ...]
    """Name, type, comment, and whether it is never missing."""
    says: str
    view: bool = False


def listed(policy: Policy) -> list[Listed]:
    """Every table that clients see."""
    found: list[Listed] = []
    for schema in ("public", "dummy"):
        for table in policy.tables.values():
            if schema == "dummy" and table.public:
                continue
            columns = tuple(
                (name, oid_of(one.kind), of_column(one, table), not one.nulls) for name, one in table.columns.items()
            )
            says = _of_table(table) if schema == "public" else f"made-up rows in the shape of {table.name}"
            found.append(Listed(FIRST + 8 * len(found), schema, table.name, columns, says))
    for name, parts in OWN_TABLES.items():
        shown = tuple((column, oid, "", False) for column, oid in parts)
        found.append(Listed(FIRST + 8 * len(found), "deniable", name, shown, "", view=True))
    return found


def of_column(column: DeclaredColumn, table: DeclaredTable) -> str:
    """What is public about a column, in a line."""
    said = []
    if column.name == table.unit:
        said.append("names the protected unit")
    if column.low is not None and column.high is not None:
        said.append(f"from {_shown(column.low)} to {_shown(column.high)}")
    if column.step is not None:
        moments = column.kind in {Kind.TIMESTAMP, Kind.TIME}
        said.append(f"in steps of {f'{float(column.step) / 1e6:g} s' if moments else _shown(column.step)}")
    if column.values is not None:
        shown = ", ".join(str(value) for value in column.values[:_MOST_VALUES])
        said.append(f"one of: {shown}{', ...' if len(column.values) > _MOST_VALUES else ''}")
    elif column.kind.value == "text" and not table.public and column.name != table.unit:
        said.append("values are private: rare ones stay hidden")
    return "; ".join(said)


def catalogue_rows(policy: Policy) -> Iterator[tuple[str, Sequence[Row]]]:
    """For each table of the catalogue that has any: its rows."""
    tables = listed(policy)
    database, name = FIRST, policy.population  # below, tools take a database for one of the system
    yield (
        "pgc.pg_namespace",
        [{"oid": oid, "nspname": one, "nspowner": OWNER} for one, oid in SPACES.items()],
    )
    yield (
        "pgc.pg_database",
        [
            {
                "oid": database,
                "datname": name,
                "datdba": OWNER,
                "encoding": 6,
                "datlocprovider": "c",
                "datistemplate": False,
                "datallowconn": True,
                "datconnlimit": -1,
                "dattablespace": 1663,
                "datcollate": "C.UTF-8",
                "datctype": "C.UTF-8",
                "datfrozenxid": 0,
                "datminmxid": 1,
            }
        ],
    )
    yield "pgc.pg_roles", [_role(OWNER, "curator"), _role(OWNER + 1, USER)]
    yield "pgc.pg_user", [{"usename": USER, "usesysid": OWNER + 1, "usesuper": False}]
    yield "pgc.pg_am", [_am(2, "heap", "t"), _am(403, "btree", "i")]
    yield (
        "pgc.pg_tablespace",
        [{"oid": oid, "spcname": one, "spcowner": OWNER} for oid, one in ((1663, "pg_default"), (1664, "pg_global"))],
    )
    yield "pgc.pg_language", [{"oid": 12, "lanname": "internal", "lanowner": OWNER}]
    yield (
        "pgc.pg_collation",
        [
            {"oid": oid, "collname": one, "collnamespace": 11, "collprovider": kind, "collencoding": -1}
            for oid, one, kind in ((100, "default", "d"), (950, "C", "c"), (951, "POSIX", "c"))
        ],
    )
    yield "pgc.pg_type", [_type(one) for one in types()]
    yield "pgc.pg_class", [_class(one) for one in tables]
    yield "pgc.pg_attribute", [row for one in tables for row in _attributes(one)]
    yield "pgc.pg_description", [row for one in tables for row in _comments(one)] + _space_comments()
    yield (
        "pgc.pg_tables",
        [
            {"schemaname": one.schema, "tablename": one.name, "tableowner": "curator", "hasindexes": False}
            for one in tables
            if not one.view
        ],
    )
    yield (
        "pgc.pg_views",
        [
            {"schemaname": one.schema, "viewname": one.name, "viewowner": "curator", "definition": ""}
            for one in tables
            if one.view
        ],
    )
    yield from _information(tables, name)


def _information(tables: Sequence[Listed], database: str) -> Iterator[tuple[str, Sequence[Row]]]:
    """The same as the standard's information_schema has it."""
    yield "ischema.information_schema_catalog_name", [{"catalog_name": database}]
    yield (
        "ischema.schemata",
        [{"catalog_name": database, "schema_name": one, "schema_owner": "curator"} for one in SPACES],
    )
    yield (
        "ischema.tables",
        [
            {
                **_place(one, database),
                "table_type": "VIEW" if one.view else "BASE TABLE",
                "is_insertable_into": "NO",
                "is_typed": "NO",
            }
            for one in tables
        ],
    )
    yield "ischema.views", [{**_place(one, database), "is_updatable": "NO"} for one in tables if one.view]
    yield (
        "ischema.columns",
        [
            {
                **_place(one, database),
                "column_name": column,
                "ordinal_position": place,
                "is_nullable": "NO" if never else "YES",
                "data_type": _NAMES.get(oid, "text"),
                "udt_catalog": database,
                "udt_schema": "pg_catalog",
                "udt_name": _SHORT.get(oid, "text"),
                "dtd_identifier": str(place),
                "is_identity": "NO",
                "is_self_referencing": "NO",
                "is_generated": "NEVER",
                "is_updatable": "NO",
                "numeric_precision": {INT8: 64, FLOAT8: 53}.get(oid),
                "numeric_precision_radix": 2 if oid in {INT8, FLOAT8} else None,
                "numeric_scale": 0 if oid == INT8 else None,
            }
            for one in tables
            for place, (column, oid, _, never) in enumerate(one.columns, 1)
        ],
    )
    privileges = [
        {**_place(one, database), "grantor": "curator", "grantee": USER, "privilege_type": "SELECT"} for one in tables
    ]
    yield "ischema.table_privileges", privileges
    yield "ischema.role_table_grants", privileges


def _place(table: Listed, database: str) -> Row:
    return {"table_catalog": database, "table_schema": table.schema, "table_name": table.name}


def _class(table: Listed) -> Row:
    return {
        "oid": table.oid,
        "relname": table.name,
        "relnamespace": SPACES[table.schema],
        "reltype": 0,
        "reloftype": 0,
        "relowner": OWNER,
        "relam": 0 if table.view else 2,
        "relfilenode": 0,
        "reltablespace": 0,
        "relpages": 0,
        "reltuples": -1,
        "relallvisible": 0,
        "reltoastrelid": 0,
        "relhasindex": False,
        "relisshared": False,
        "relpersistence": "p",
        "relkind": "v" if table.view else "r",
        "relnatts": len(table.columns),
        "relchecks": 0,
        "relhasrules": False,
        "relhastriggers": False,
        "relhassubclass": False,
        "relrowsecurity": False,
        "relforcerowsecurity": False,
        "relispopulated": True,
        "relreplident": "d",
        "relispartition": False,
        "relrewrite": 0,
        "relfrozenxid": 0,
        "relminmxid": 0,
        "relacl": "[curator=r/curator, =r/curator]",
    }


def _attributes(table: Listed) -> Iterator[Row]:
    for place, (name, oid, _, never) in enumerate(table.columns, 1):
        yield {
            "attrelid": table.oid,
            "attname": name,
            "atttypid": oid,
            "attstattarget": -1,
            "attlen": size_of(oid),
            "attnum": place,
            "attndims": 0,
            "attcacheoff": -1,
            "atttypmod": -1,
            "attbyval": size_of(oid) > 0,
            "attalign": "d",
            "attstorage": "x" if oid == TEXT else "p",
            "attcompression": "",
            "attnotnull": never,
            "atthasdef": False,
            "atthasmissing": False,
            "attidentity": "",
            "attgenerated": "",
            "attisdropped": False,
            "attislocal": True,
            "attinhcount": 0,
            "attcollation": 100 if oid == TEXT else 0,
        }


def _comments(table: Listed) -> Iterator[Row]:
    for place, says in enumerate([table.says, *(column[2] for column in table.columns)]):
        if says:
            yield {"objoid": table.oid, "classoid": CLASS, "objsubid": place, "description": says}


def _space_comments() -> list[Row]:
    return [
        {"objoid": SPACES[name], "classoid": 2615, "objsubid": 0, "description": says} for name, says in _SAYS.items()
    ]


def _of_table(table: DeclaredTable) -> str:
    if table.public:
        return "public: read it as you like, for free"
    if table.unit is None:
        return "private; each row is protected"
    if table.unweighed:
        return f"private; protects each {table.unit}; nothing can be asked until the policy names a contribution"
    return f"private; protects each {table.unit}, who counts as at most {table.contribution} rows"


def _type(one: Mapping[str, str]) -> Row:
    said: dict[str, object] = {
        key: value == "t" if key in {"typbyval", "typispreferred"} else value for key, value in one.items()
    }
    return {
        **said,
        "typnamespace": 11,
        "typowner": OWNER,
        "typisdefined": True,
        "typrelid": 0,
        "typnotnull": False,
        "typbasetype": 0,
        "typtypmod": -1,
        "typndims": 0,
        "typreceive": _binary(one, "recv"),
        "typsend": _binary(one, "send"),
        "typmodin": "-",
    }


def _binary(one: Mapping[str, str], what: str) -> str:
    """The function that reads or writes a type in its binary form, which is called like the one for its text form."""
    name = one["typinput"]
    return f"{name[:-2]}{what}" if name.endswith("in") and one["typtype"] in {"b", "r", "m"} else "-"


def _role(oid: int, name: str) -> Row:
    return {
        "oid": oid,
        "rolname": name,
        "rolsuper": False,
        "rolinherit": True,
        "rolcreaterole": False,
        "rolcreatedb": False,
        "rolcanlogin": name == USER,
        "rolreplication": False,
        "rolconnlimit": -1,
        "rolbypassrls": False,
    }


def _am(oid: int, name: str, kind: str) -> Row:
    return {"oid": oid, "amname": name, "amhandler": f"{name}_handler", "amtype": kind}


def _shown(bound: object) -> str:
    return f"{float(bound):g}" if not hasattr(bound, "isoformat") else str(bound)  # type: ignore[arg-type]
