"""PostgreSQL's text as a tree: what only PostgreSQL writes is written as the parser reads it."""

from __future__ import annotations

import re
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from deniable.doors.postgres.errors import PgError
from deniable.doors.postgres.lexing import Lexeme, tokens

Node = Any
"""A tree of sqlglot, whose classes are related otherwise in each of its versions."""

REGS = {"regclass", "regtype", "regproc", "regprocedure", "regnamespace", "regrole", "regoper", "regconfig"}
REGS |= {"regoperator", "regdictionary", "regcollation"}
"""Types of numbers that are shown as names."""
_RESERVED = {"select", "table", "insert", "update", "delete", "all", "column", "default", "end", "from", "group"}
_RESERVED |= {"limit", "order", "references", "user", "where", "check", "primary", "unique", "analyze", "role"}
"""Words that PostgreSQL takes for names behind AS and behind a dot."""


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
        if token.kind == "word" and token.name in {*REGS, "oid"} and _text(parts, after) == "[":
            token = Lexeme("word", "uint" if token.name == "oid" else "text", token.start)
        if token.kind == "word" and token.name == "operator" and _text(parts, after) == "(":
            end = next((place for place in range(after, len(parts)) if parts[place].text == ")"), len(parts) - 1)
            inner = "".join(part.text for part in parts[after + 1 : end] if part.kind == "other")
            out.append(f" {inner.lstrip('.')} ")
            at = end + 1
            continue
        if token.kind == "word" and token.name in _RESERVED and _is_named(parts, at):
            token = Lexeme("quoted", f'"{token.name}"', token.start)
        out.append(_written(token, parts[at - 1] if at else None))
        at += 1
    return "".join(out)


def _is_named(parts: list[Lexeme], at: int) -> bool:
    """Whether AS or a dot stands before it."""
    before = [part for part in parts[:at][-3:] if part.kind != "space"]
    return bool(before) and (before[-1].text == "." or (before[-1].kind == "word" and before[-1].name == "as"))


def _written(token: Lexeme, before: Lexeme | None) -> str:
    if token.kind == "string" and token.text[:1] in "eE" and token.text[1:2] == "'":
        body = re.sub(r"\\(.)", lambda found: {"n": "\n", "t": "\t"}.get(found[1], found[1]), token.text[2:-1])
        return "'" + body.replace("''", "'").replace("'", "''") + "'"
    if token.text == '"char"' and before is not None and before.text in {":", " ", "."}:
        return "text"
    if token.kind == "parameter":
        return f"{token.text} "  # between two of them without a space, the parser sees a quoted text
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
