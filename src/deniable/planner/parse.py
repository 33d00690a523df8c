"""Text to a syntax tree: one SELECT, with the clauses that we know."""

from __future__ import annotations

import logging
from typing import ClassVar

import sqlglot
from sqlglot import TokenType, exp
from sqlglot.dialects.duckdb import DuckDB
from sqlglot.errors import SqlglotError

from deniable.core.errors import Refused, asking
from deniable.planner.wording.misspelt import column_of_that_name, misspelt
from deniable.planner.wording.own_words import QUESTION as QUESTION  # noqa: PLC0414 - for whoever reads a tree
from deniable.planner.wording.spellings import plainly

logging.getLogger("sqlglot").setLevel(logging.CRITICAL)
"""Its remarks quote a question as it is written, whatever a terminal makes of that; what is wrong, refusals say."""
_LONGEST = 20_000
_DEEPEST = 100

_CLAUSES = {
    "kind": "SELECT AS",
    "hint": "a hint",
    "into": "INTO",
    "laterals": "LATERAL",
    "match": "MATCH_RECOGNIZE",
    "windows": "WINDOW",
    "qualify": "QUALIFY",
    "sample": "a sample",
    "locks": "FOR UPDATE",
    "connect": "CONNECT BY",
    "cluster": "CLUSTER BY",
    "distribute": "DISTRIBUTE BY",
    "sort": "SORT BY",
    "settings": "SETTINGS",
    "format": "FORMAT",
    "options": "OPTION",
    "pivots": "PIVOT",
    "prewhere": "PREWHERE",
    "operation_modifiers": "a modifier",
}
_KNOWN = {
    *("expressions", "distinct", "from_", "joins", "with_"),
    *("where", "group", "having", "order", "limit", "offset"),
}


def parse(text: str) -> exp.Select:
    """The one SELECT that the text consists of, or a refusal that says where it stops being one."""
    with asking(text):
        return plain(read(text))


def read(text: str) -> exp.Expression:
    """The one query that the text consists of: a SELECT with whatever clauses, or several put together by UNION."""
    with asking(text):
        statement = _parsed(text)
    statement.meta[QUESTION] = text
    return statement


def plain(query: exp.Expression) -> exp.Select:
    """The query, if it is a SELECT with no clauses but those that a question about private rows can have."""
    if not isinstance(query, exp.Select):
        raise Refused("not-a-select", "Single rows are never shown, only statistics.", "Write SELECT COUNT(*) ...")
    check_clauses(query)
    return query


def _parsed(text: str) -> exp.Expression:
    if not text.strip():
        raise Refused("empty", "There is no question.", "Write, for example, SELECT COUNT(*) FROM a table.")
    if len(text) > _LONGEST or _depth(text) > _DEEPEST:
        raise Refused("too-long", "The question is too long or too deeply nested.", "Split it into several.")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise Refused(
            "syntax", "The question has characters that cannot be read.", "Remove the broken characters."
        ) from None
    try:
        statements = [statement for statement in _statements(text) if statement is not None]
    except SqlglotError as error:
        raise _unreadable(text, error) from None
    except RecursionError:
        raise Refused("too-long", "The question is too deeply nested.", "Split it into several.") from None
    if len(statements) != 1:
        raise Refused("many-statements", "A question must be a single statement.", "Ask one at a time.")
    (statement,) = statements
    statement = _bare(statement)
    if not isinstance(statement, exp.Select | exp.SetOperation | exp.Subquery):
        raise Refused("not-a-select", "Only SELECT is supported.", "Write SELECT ... FROM ... .")
    if _nesting(statement) > _DEEPEST:
        raise Refused("too-long", "The question is too deeply nested.", "Use IN (...) for long lists of alternatives.")
    plainly(statement)
    return statement


def _unreadable(text: str, error: SqlglotError) -> Refused:
    """Where the text stops being SQL, and what may have been meant."""
    word = misspelt(text)
    if word is not None:
        reason = f"{text[word.start : word.end]!r} is not a word of SQL."
        return Refused("syntax", reason, f"Did you mean {word.meant}?", (word.start, word.end))
    place = column_of_that_name(text)
    if place is not None:
        column = text[slice(*place)]
        reason = f"{column} is a word of SQL, and cannot be read as a name here."
        return Refused("syntax", reason, f'If a column is called so, put it into double quotes: "{column}".', place)
    return Refused("syntax", "This is not valid SQL.", _detail(error), _place(error, text))


class _WithTop(DuckDB):
    """SELECT TOP 5 is another spelling of LIMIT 5."""

    class Tokenizer(DuckDB.Tokenizer):
        """One word more."""

        KEYWORDS: ClassVar = {**DuckDB.Tokenizer.KEYWORDS, "TOP": TokenType.TOP}


def _statements(text: str) -> list[exp.Expr | None]:
    try:
        return list(sqlglot.parse(text, dialect="duckdb"))
    except SqlglotError:
        if "top" not in text.lower():
            raise
        return list(sqlglot.parse(text, dialect=_WithTop))


def _bare(statement: exp.Expr) -> exp.Expr:
    """Without brackets around it."""
    while isinstance(statement, exp.Subquery) and {name for name, value in statement.args.items() if value} == {"this"}:
        statement = statement.this
    return statement


def position(node: exp.Expression) -> tuple[int, int] | None:
    """Where a part of the tree stands in the text, as far as its tokens are known."""
    marks = [part.meta for part in node.walk() if "start" in part.meta]
    if not marks:
        return None
    return min(mark["start"] for mark in marks), max(mark["end"] for mark in marks) + 1


def check_clauses(select: exp.Select) -> None:
    """Nothing outside the clauses that have a meaning here."""
    for name, value in select.args.items():
        if not value or name in _KNOWN:
            continue
        first = value[0] if isinstance(value, list) else value
        where = position(first) if isinstance(first, exp.Expression) else None
        clause = _CLAUSES.get(name, name)
        raise Refused("unsupported-clause", f"{clause} is not supported.", "Ask without it.", where)


def _depth(text: str) -> int:
    """How deep brackets are nested."""
    deepest = depth = 0
    for character in text:
        depth += (character in "([{") - (character in ")]}")
        deepest = max(deepest, depth)
    return deepest


def _nesting(tree: exp.Expression) -> int:
    """How deep the tree is: chains of OR and + are deep without brackets."""
    deepest, level = 0, [tree]
    while level:
        deepest += 1
        level = [child for node in level for child in node.iter_expressions()]
    return deepest


def _detail(error: SqlglotError) -> str:
    """What the parser expected, in its words about the text (it has seen nothing else)."""
    errors = getattr(error, "errors", None) or [{}]
    text = str(errors[0].get("description") or "")
    if text.startswith("Expecting ") and len(text) == len("Expecting )"):
        return f"Write {text[-1]} before this."
    return "Check the words, quotes, commas and brackets before this."


def _place(error: SqlglotError, text: str) -> tuple[int, int] | None:
    """The offset of the line and column that the parser names."""
    errors = getattr(error, "errors", None) or [{}]
    line, column, mark = (errors[0].get(name) for name in ("line", "col", "highlight"))
    if not line or column is None:
        return None
    start = sum(len(row) + 1 for row in text.split("\n")[: line - 1])
    end = min(len(text), start + column)
    return max(start, end - len(mark or " ")), end
