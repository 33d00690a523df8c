"""PostgreSQL's statements about the catalogue and public tables, as DuckDB's. What is not understood is refused."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from deniable.doors.postgres.catalogue.functions import KNOWN
from deniable.doors.postgres.catalogue.relations import HOMES, oids, relations
from deniable.doors.postgres.catalogue.rows import USER
from deniable.doors.postgres.errors import PgError, unsupported
from deniable.doors.postgres.lexing import Lexeme, tokens
from deniable.doors.postgres.types import elements

Node = Any
"""A tree of sqlglot, whose classes are related otherwise in each of its versions."""

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
        "format",
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
        "quote_literal",
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
        "now",
        "ascii",
        "chr",
        "md5",
    ]
)
"""Functions that DuckDB has by the same name, and that reach nothing but their arguments."""
_REGS = {"regclass", "regtype", "regproc", "regprocedure", "regnamespace", "regrole", "regoper", "regconfig"}
_NUMBERS = {"oid", "xid", "cid"}
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
    user: str


def parsed(text: str) -> Node:
    """The one statement that the text is."""
    try:
        (tree,) = sqlglot.parse(_plain(text), dialect="postgres")
    except SqlglotError:
        raise PgError("42601", "This is not valid SQL.") from None
    except (ValueError, RecursionError):
        raise PgError("54001", "The statement is too long or too deeply nested.") from None
    if not isinstance(tree, exp.Query):
        raise PgError("25006", "Only SELECT is answered.")
    return tree


def translated(tree: Node, known: Known) -> str:
    """The statement in DuckDB's words."""
    tree = tree.copy()
    inside = {one.alias_or_name.lower() for one in tree.find_all(exp.CTE)}
    for name in tree.find_all(exp.Identifier):
        if not name.quoted:
            name.set("this", name.this.lower())
    _name_outputs(tree)
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


def _plain(text: str) -> str:
    """Without what only PostgreSQL writes: names of schemas that are always searched, operators, collations."""
    parts = list(tokens(text))
    out: list[str] = []
    at = 0
    while at < len(parts):
        token, after = parts[at], _after(parts, at)
        if token.name == "pg_catalog" and token.kind in {"word", "quoted"} and _text(parts, after) == ".":
            at = after + 1
            continue
        if token.name == "information_schema" and _text(parts, after) == "." and _text(parts, after + 1)[:3] == "_pg":
            at = after + 1
            continue
        if token.kind == "word" and token.name == "collate" and after < len(parts) and _is_name(parts[after]):
            dot = _after(parts, after)
            at = _after(parts, dot) + 1 if _text(parts, dot) == "." else after + 1
            continue
        if token.kind == "word" and token.name in _REGS and _text(parts, after) == "[":
            token = Lexeme("word", "text", token.start)
        if token.kind == "word" and token.name == "operator" and _text(parts, after) == "(":
            end = next((place for place in range(after, len(parts)) if parts[place].text == ")"), len(parts) - 1)
            inner = "".join(part.text for part in parts[after + 1 : end] if part.kind == "other")
            out.append(f" {inner.lstrip('.')} ")
            at = end + 1
            continue
        out.append(_written(token, parts[at - 1] if at else None))
        at += 1
    return "".join(out)


def _written(token: Lexeme, before: Lexeme | None) -> str:
    if token.kind == "string" and token.text[:1] in "eE" and token.text[1:2] == "'":
        body = re.sub(r"\\(.)", lambda found: {"n": "\n", "t": "\t"}.get(found[1], found[1]), token.text[2:-1])
        return "'" + body.replace("''", "'").replace("'", "''") + "'"
    if token.text == '"char"' and before is not None and before.text in {":", " ", "."}:
        return "text"
    return token.text


def _after(parts: list[Lexeme], at: int) -> int:
    at += 1
    while at < len(parts) and parts[at].kind == "space":
        at += 1
    return at


def _text(parts: list[Lexeme], at: int) -> str:
    return parts[at].text if at < len(parts) else ""


def _is_name(token: Lexeme) -> bool:
    return token.kind in {"word", "quoted"}


def _move(table: Node, known: Known, inside: set[str]) -> None:
    """Let a table be the one in memory; refused if there is none."""
    if isinstance(table.this, exp.Anonymous) and table.this.name.lower() == "pg_show_all_settings":
        table.set("this", exp.to_identifier("pg_settings"))  # the function behind the view
    if not isinstance(table.this, exp.Identifier):
        return  # a function, which is looked at as such
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
    for space in (schema,) if schema else ("public", "pg_catalog"):
        if (space, name) in known.tables:
            return known.tables[space, name]
        if (space, name) in relations():
            return f"{HOMES[space]}.{name}"
    return None


def _changed(node: Node, known: Known) -> Node:  # noqa: PLR0911 - one line for each kind of node
    """One node in DuckDB's words."""
    if isinstance(node, exp.Cast):
        return _cast(node, known)
    if isinstance(node, exp.Column) and node.name == "tableoid":
        return exp.cast(exp.Null(), "UINTEGER", dialect="duckdb")
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


def _function(node: Node, known: Known) -> Node:
    name = (node.name if isinstance(node, exp.Anonymous) else node.sql_name()).lower()
    if name in known.constants:
        return known.constants[name].copy()
    if name == "current_setting":
        asked = node.expressions[0] if isinstance(node, exp.Anonymous) else node.this
        if asked.is_string:
            return exp.Literal.string(known.settings.get(asked.name.lower(), ""))
        found = sqlglot.parse_one("(SELECT s.setting FROM own_settings s WHERE s.name = x)", dialect="duckdb")
        next(one for one in found.find_all(exp.Column) if one.name == "x").replace(exp.Lower(this=asked.copy()))
        return found
    if name == "set_config" and isinstance(node, exp.Anonymous):
        return node.expressions[1]
    if isinstance(node, exp.Anonymous) and name not in KNOWN | _PLAIN:
        raise PgError("42883", f"function {name} does not exist here")
    if isinstance(node, exp.ReadCSV) or name.startswith(("read_", "duckdb_", "pragma_")):
        raise unsupported("Files are not read here.")
    return node


def _cast(node: Node, known: Known) -> Node:  # noqa: PLR0911 - one line for each family of types
    """Casts to types that only PostgreSQL has."""
    kind = node.to.sql("postgres").lower().strip('"')
    base, array = kind.removesuffix("[]"), kind.endswith("[]")
    value = node.this
    if base in _REGS and array:
        return value
    if base in _REGS:
        if isinstance(value, exp.Literal) and value.is_string:
            return _named(base, value.name, known)
        if isinstance(value, exp.Literal | exp.Parameter) and base == "regclass":
            return exp.cast(value, "bigint") if isinstance(value, exp.Literal) else _class_of(value)
        call = {"regclass": "reg_class", "regtype": "reg_type", "regnamespace": "reg_namespace"}.get(base)
        return exp.func(call, value) if call else value
    if base in _NUMBERS:
        return exp.cast(value, "UINTEGER[]" if array else "UINTEGER", dialect="duckdb")
    if base in _TEXTS:
        return exp.cast(value, "VARCHAR[]" if array else "VARCHAR", dialect="duckdb")
    return node


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


def _name_outputs(tree: Node) -> None:
    """Columns without a name get the one that PostgreSQL gives them; NULL is a text."""
    outer = tree
    while isinstance(outer, exp.SetOperation | exp.Subquery):
        outer = outer.this
    if isinstance(outer, exp.Select):
        for one in list(outer.expressions):
            if not isinstance(one, exp.Alias | exp.Star | exp.Column):
                one.replace(exp.alias_(one.copy(), figured(one), quoted=True))
    for select in tree.find_all(exp.Select):
        for one in list(select.expressions):
            inner = one.this if isinstance(one, exp.Alias) else one
            if isinstance(inner, exp.Null):
                inner.replace(exp.cast(exp.Null(), "VARCHAR"))


def figured(node: Node) -> str:  # noqa: C901, PLR0911 - one line for each kind of expression
    """The name that PostgreSQL gives to a column that has none.

    Example:
        >>> [figured(sqlglot.parse_one(text, dialect="postgres")) for text in ("a.b", "count(*)", "1 + 1", "x::text")]
        ['b', 'count', '?column?', 'x']
    """
    if isinstance(node, exp.Alias):
        return node.alias
    if isinstance(node, exp.Column | exp.Identifier):
        return node.name
    if isinstance(node, exp.Paren | exp.Bracket):
        return figured(node.this)
    if isinstance(node, exp.Cast):
        found = figured(node.this)
        return found if found != "?column?" else node.to.sql("postgres").lower().strip('"')
    if isinstance(node, exp.Subquery) and isinstance(node.this, exp.Select) and node.this.expressions:
        return figured(node.this.expressions[0])
    if isinstance(node, exp.Case):
        found = figured(node.args["default"]) if node.args.get("default") is not None else "?column?"
        return found if found != "?column?" else "case"
    if isinstance(node, exp.Exists):
        return "exists"
    if isinstance(node, exp.Array):
        return "array"
    if isinstance(node, exp.Anonymous):
        return node.name.lower()
    if isinstance(node, exp.Func) and not isinstance(node, exp.Binary | exp.Connector):
        return {"array_size": "array_length", "current_version": "version"}.get(
            node.sql_name().lower(), node.sql_name().lower()
        )
    return "?column?"


def _string(text: str) -> str:
    return exp.Literal.string(text).sql("duckdb")
