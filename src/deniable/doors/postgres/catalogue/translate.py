"""PostgreSQL's statements about the catalogue and public tables, as DuckDB's. What is not understood is refused."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import sqlglot
from sqlglot import exp

from deniable.doors.postgres.catalogue.functions import KNOWN, TABLES
from deniable.doors.postgres.catalogue.outputs import name_outputs
from deniable.doors.postgres.catalogue.read import REGS, Node
from deniable.doors.postgres.catalogue.relations import HOMES, oids, relations
from deniable.doors.postgres.catalogue.rows import SPACES, USER
from deniable.doors.postgres.errors import PgError, unsupported
from deniable.doors.postgres.types import elements

_CLASSES = {"pg_class": 1259, "pg_namespace": 2615, "pg_type": 1247, "pg_proc": 1255, "pg_constraint": 2606}
_CLASSES |= {"pg_extension": 3079, "pg_database": 1262, "pg_authid": 1260, "pg_index": 2610, "pg_attribute": 1249}
_PLAIN = frozenset(
    [
        "array_agg",
        "array_to_string",
        "array_length",
        "array_position",
        "array_append",
        "array_cat",
        "bool_and",
        "bool_or",
        "concat",
        "concat_ws",
        "count",
        "generate_series",
        "generate_subscripts",
        "initcap",
        "left",
        "length",
        "lower",
        "ltrim",
        "max",
        "min",
        "nullif",
        "regexp_replace",
        "repeat",
        "replace",
        "reverse",
        "right",
        "row_number",
        "rtrim",
        "split_part",
        "starts_with",
        "string_agg",
        "string_to_array",
        "strpos",
        "substr",
        "substring",
        "sum",
        "to_char",
        "translate",
        "trim",
        "unnest",
        "upper",
        "ascii",
        "chr",
        "md5",
    ]
)
"""Functions that DuckDB has by the same name, and that reach nothing but their arguments."""
_SYSTEM = {"tableoid": "CAST(NULL AS UINTEGER)", **dict.fromkeys(("xmin", "xmax"), "CAST(1 AS UINTEGER)")}
"""Columns that every table of PostgreSQL has, though nobody declares them."""
_PROCEDURES = {"typinput", "typoutput", "typreceive", "typsend", "typmodin", "typmodout", "typanalyze"}
"""Columns of functions, which are numbers there: 0 is shown as '-'."""
_NUMBERS = {"oid", "xid", "cid", "uint"}
_TEXTS = {"name", "char", "aclitem", "information_schema.sql_identifier", "refcursor", "cstring"}
_USERS = {"pg_roles": "rolname", "pg_user": "usename", "table_privileges": "grantee", "role_table_grants": "grantee"}


@dataclass(frozen=True, slots=True)
class Known:
    """What a statement may speak of: constants of the connection, tables of ours, and settings."""

    constants: Mapping[str, Node]
    """By the name of the function that PostgreSQL has for it."""
    tables: Mapping[tuple[str, str], str]
    """By schema and name: what the table is called in the database in memory."""
    classes: Mapping[str, int]
    """The numbers of the tables, by name."""
    settings: Mapping[str, str]
    """By their names in small letters."""
    user: str
    path: Sequence[str]
    """The schemas in which tables are looked for that are named without one."""
    private: frozenset[str]
    """The names of tables that are not here, but the planner's."""
    declared: frozenset[str]
    """The names of all columns of the policy."""


def translated(tree: Node, known: Known) -> str:
    """The statement in DuckDB's words."""
    tree = tree.copy()
    inside = {one.alias_or_name.lower() for one in tree.find_all(exp.CTE)}
    for name in tree.find_all(exp.Identifier):
        if not name.quoted:
            name.set("this", name.this.lower())
    name_outputs(tree)
    for table in list(tree.find_all(exp.Table)):
        _move(table, known, inside)
    for column in list(tree.find_all(exp.Column)):
        column.set("db", None)
        column.set("catalog", None)
    for node in reversed(list(tree.walk())):
        new = _changed(node, known)
        if new is not node:
            node.replace(new)
    return str(tree.sql("duckdb"))


def _move(table: Node, known: Known, inside: set[str]) -> None:
    """Let a table be the one in memory; refused if there is none."""
    if isinstance(table.this, exp.Anonymous) and table.this.name.lower() == "pg_show_all_settings":
        table.set("this", exp.to_identifier("pg_settings"))  # the function behind the view
    if not isinstance(table.this, exp.Identifier):
        if _called(table.this) not in TABLES:  # of one value: a table of one row
            alias = table.args.get("alias")
            name = alias.name if alias is not None and alias.name else _called(table.this)
            named = alias.columns[0].name if alias is not None and alias.columns else name
            row = exp.select(exp.alias_(table.this.copy(), named, quoted=True))
            table.replace(row.subquery(exp.to_identifier(name, quoted=True)))
        return
    name, schema = table.name.lower(), table.db.lower()
    if not schema and name in inside:
        return
    alias = table.args.get("alias") or exp.TableAlias(this=exp.to_identifier(table.name, quoted=True))
    place = place_of(name, schema, known)
    if place is None:
        written = f"{schema}.{name}" if schema else name
        raise PgError("42P01", f'relation "{written}" does not exist', hint="See \\d for what there is.")
    if name in _USERS and place.split(".")[0] in HOMES.values():
        column = _USERS[name]
        one = sqlglot.parse_one(
            f"(SELECT * REPLACE (CASE WHEN {column} = '{USER}' THEN {_string(known.user)} ELSE {column} END "  # noqa: S608 - our own names, and a literal
            f"AS {column}) FROM {place})",
            dialect="duckdb",
        )
        one.set("alias", alias)
        table.replace(one)
        return
    moved = exp.to_table(place)
    table.set("this", moved.this)
    table.set("db", moved.args.get("db"))
    table.set("catalog", None)
    table.set("alias", alias)


def place_of(name: str, schema: str, known: Known) -> str | None:
    """Where a table is in memory. What has no schema is looked for where PostgreSQL would."""
    for space in (schema,) if schema else (*known.path, "pg_catalog"):
        if space == "public" and name in known.private:
            return None
        if (space, name) in known.tables:
            return known.tables[space, name]
        if (space, name) in relations():
            return f"{HOMES[space]}.{name}"
    return None


def _changed(node: Node, known: Known) -> Node:  # noqa: PLR0911 - one line for each kind of node
    """One node in DuckDB's words."""
    if isinstance(node, exp.Cast):
        return _cast(node, known)
    if isinstance(node, exp.Column) and node.name in _SYSTEM and node.name not in known.declared:
        return sqlglot.parse_one(_SYSTEM[node.name], dialect="duckdb")
    if isinstance(node, exp.EQ | exp.NEQ) and node.this.name in _PROCEDURES and node.expression.name == "0":
        node.set("expression", exp.Literal.string("-"))
    if (
        isinstance(node, exp.Substring)
        and isinstance(node.args.get("start"), exp.Literal)
        and node.args["start"].is_string
    ):
        return _matched(node)
    if isinstance(node, exp.DPipe) and isinstance(node.expression, exp.Array):
        nothing = exp.Array(expressions=[])  # before an array, NULL is an empty one
        return exp.DPipe(this=exp.Coalesce(this=node.this, expressions=[nothing]), expression=node.expression)
    if isinstance(node, exp.Any) and isinstance(node.this, exp.Literal | exp.Paren):
        return _any(node, node.this.this if isinstance(node.this, exp.Paren) else node.this)
    if isinstance(node, exp.Func) and not isinstance(node, exp.And | exp.Or | exp.Case | exp.Cast):
        return _function(node, known)
    return node


def _matched(node: Node) -> Node:
    """What a pattern finds, or its part in parentheses; NULL where there is nothing."""
    pattern = node.args["start"]
    part = exp.Literal.number(int("(" in pattern.name))
    found = exp.Anonymous(this="regexp_extract", expressions=[node.this, pattern, part])
    return exp.Nullif(this=found, expression=exp.Literal.string(""))


def _any(node: Node, array: Node) -> Node:
    """ANY of an array that is written as a text, or made of the rows of a query."""
    if isinstance(array, exp.Literal) and array.is_string:
        entries = [exp.Literal.string(one) for one in elements(array.name)]
        return exp.Any(this=exp.Paren(this=exp.Array(expressions=entries)))
    if isinstance(array, exp.Array) and len(array.expressions) == 1 and isinstance(array.expressions[0], exp.Query):
        return exp.Any(this=exp.Subquery(this=array.expressions[0]))
    return node


def _called(node: Node) -> str:
    """The name of a function."""
    return str(node.name if isinstance(node, exp.Anonymous) else node.sql_name()).lower()


def _function(node: Node, known: Known) -> Node:  # noqa: C901, PLR0911 - one line for each kind of function
    name = _called(node)
    if name in known.constants:
        return known.constants[name].copy()
    if name == "current_setting":
        asked = node.expressions[0] if isinstance(node, exp.Anonymous) else node.this
        if asked.is_string:
            return exp.Literal.string(known.settings.get(asked.name.lower(), ""))
        return _with(
            "(SELECT setting_.setting FROM own_settings setting_ WHERE lower(setting_.name) = lower(x))", asked
        )
    if name == "set_config" and isinstance(node, exp.Anonymous) and len(node.expressions) > 1:
        return _configured(node.expressions[0], node.expressions[1], known)
    if name == "format":
        return _formatted(node.expressions if isinstance(node, exp.Anonymous) else [node.this, *node.expressions])
    if name == "current_schemas":
        here, first = [one for one in known.path if one in SPACES], ["pg_catalog"]
        both = ([one for one in first if one not in here] + here, here)
        asked = node.expressions[0] if isinstance(node, exp.Anonymous) else node.this
        return _with("CASE WHEN x THEN [{}] ELSE [{}] END".format(*map(_listed, both)), asked)
    if name == "pg_table_is_visible" and node.expressions:
        spaces = ", ".join(str(SPACES[one]) for one in ("pg_catalog", *known.path) if one in SPACES)
        text = f"EXISTS (SELECT 1 FROM pgc.pg_class k WHERE k.oid = x AND k.relnamespace IN ({spaces}))"  # noqa: S608 - numbers
        return _with(text, node.expressions[0])
    if name == "age" and (len(node.expressions) != 1 or not node.expressions[0].name.endswith(("xid", "xmin", "id"))):
        raise unsupported("There are no values of the type interval here.", "Subtract one day from the other.")
    if name == "all" and isinstance(node.parent, exp.NEQ) and node.parent.expression is node:
        return node
    if isinstance(node, exp.Anonymous) and name not in KNOWN | TABLES | _PLAIN:
        raise PgError("42883", f"function {name} does not exist here")
    if isinstance(node, exp.ReadCSV) or name.startswith(("read_", "duckdb_", "pragma_")):
        raise unsupported("Files are not read here.")
    return node


def _with(text: str, value: Node) -> Node:
    """An expression of DuckDB's, with a value in the place of x."""
    found: Node = sqlglot.parse_one(text, dialect="duckdb")
    for one in [one for one in found.find_all(exp.Column) if one.name == "x"]:
        one.replace(value.copy())
    return found


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(_string, names))


def _configured(name: Node, value: Node, known: Known) -> Node:
    """`set_config`, where it changes nothing that matters; what matters is said with SET, or not at all."""
    setting = name.name.lower() if name.is_string else ""
    matters = not setting or setting.startswith("deniable.") or setting == "search_path"
    if matters and not (value.is_string and value.name == known.settings.get(setting)):
        raise unsupported("This setting is not changed by set_config here.", "Write SET name = value.")
    return value


def _formatted(arguments: Sequence[Node]) -> Node:
    """PostgreSQL's `format`, of a text that is known."""
    first, *values = arguments
    pieces = re.split(r"(%[%sIL])", first.name) if first.is_string else ["%"]
    if any("%" in one and one not in {"%%", "%s", "%I", "%L"} for one in pieces):
        raise unsupported("This form of format() is not understood here.", "Use %s, %I and %L.")
    if len(values) != sum(one in {"%s", "%I", "%L"} for one in pieces):
        raise PgError("22023", "format() has too few or too many arguments.")
    forms = {
        "%s": "coalesce(CAST(x AS VARCHAR), '')",
        "%I": "quote_ident(CAST(x AS VARCHAR))",
        "%L": "coalesce(quote_literal(CAST(x AS VARCHAR)), 'NULL')",
    }
    left = iter(values)
    parts = [
        _with(forms[one], next(left)) if one in forms else exp.Literal.string(one.replace("%%", "%"))
        for one in pieces
        if one
    ]
    return exp.Concat(expressions=[exp.Literal.string(""), *parts], safe=True, coalesce=False)


def _cast(node: Node, known: Known) -> Node:  # noqa: PLR0911 - one line for each family of types
    """Casts to types that only PostgreSQL has."""
    kind = node.to.sql("postgres").lower().strip('"')
    base, array = kind.removesuffix("[]"), kind.endswith("[]")
    value = node.this
    if base in REGS and array:
        return value
    if base in REGS:
        if isinstance(value, exp.Literal) and value.is_string:
            return _named(base, value.name, known)
        if isinstance(value, exp.Literal | exp.Parameter) and base == "regclass":
            return exp.cast(value, "bigint") if isinstance(value, exp.Literal) else _class_of(value)
        if base == "regclass" and _is_number(node):
            return exp.func("class_oid", exp.cast(value, "VARCHAR", dialect="duckdb"))
        call = {"regclass": "reg_class", "regtype": "reg_type", "regnamespace": "reg_namespace"}.get(base)
        return exp.func(call, value) if call else value
    if array and isinstance(value, exp.Literal) and value.is_string:
        inner = node.to.expressions[0]
        each = [exp.Cast(this=exp.Literal.string(one), to=inner.copy()) for one in _elements(value.name)]
        return exp.cast(exp.Array(expressions=[_cast(one, known) for one in each]), _plain_array(base))
    if base in {"timestamptz", "timetz"} and not array:
        return exp.cast(value, base.removesuffix("tz"))
    if base in _NUMBERS:
        return exp.cast(value, "UINTEGER[]" if array else "UINTEGER", dialect="duckdb")
    if base in _TEXTS:
        return exp.cast(value, "VARCHAR[]" if array else "VARCHAR", dialect="duckdb")
    return node


def _is_number(cast: Node) -> bool:
    """Whether a cast to regclass is looked at as the number that it is, and not shown as a name."""
    parent = cast.parent
    if isinstance(parent, exp.Cast):
        return parent.to.sql("postgres").lower() in {"oid", "bigint", "int"}
    return isinstance(parent, exp.Binary | exp.Func | exp.In)


def _elements(text: str) -> list[str]:
    try:
        return elements(text)
    except ValueError:
        raise PgError("22P02", "A text is not an array: it must begin with { and end with }.") from None


def _plain_array(base: str) -> Node:
    """An array of values as DuckDB has them, by PostgreSQL's name of their type."""
    name = "UINTEGER" if base in _NUMBERS else "VARCHAR" if base in _TEXTS else base
    return exp.DataType.build(f"{name}[]", dialect="duckdb")


def _class_of(value: Node) -> Node:
    """A table by a name that is only known later."""
    cases = " ".join(f"WHEN '{name}' THEN {oid}" for name, oid in _CLASSES.items())
    made: Node = sqlglot.parse_one(f"CASE replace(x, 'pg_catalog.', '') {cases} END", dialect="duckdb")
    made.find(exp.Column).replace(exp.cast(value.copy(), "VARCHAR"))
    return made


def _named(base: str, name: str, known: Known) -> Node:
    """What PostgreSQL would look up when it reads the statement."""
    if name.isdigit():
        return exp.Literal.number(name)
    short = name.rsplit(".", maxsplit=1)[-1].strip('"')
    found = {"regclass": {**_CLASSES, **known.classes}, "regtype": oids()}.get(base, {}).get(short)
    if base == "regproc" and short.endswith(("_in", "_out", "_recv", "_send")):
        return exp.Literal.string(short)
    if found is None:
        raise PgError({"regclass": "42P01", "regproc": "42883"}.get(base, "42704"), f'"{name}" does not exist')
    return exp.Literal.number(found)


def _string(text: str) -> str:
    return exp.Literal.string(text).sql("duckdb")
