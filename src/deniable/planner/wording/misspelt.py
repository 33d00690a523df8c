"""Which word of a question is not meant as it is written: the one with whose correction the question can be read."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches

import sqlglot
from sqlglot import TokenType, exp
from sqlglot.dialects.duckdb import DuckDB
from sqlglot.errors import SqlglotError

_WORDS = (
    *("SELECT", "FROM", "WHERE", "GROUP", "BY", "ORDER", "HAVING", "LIMIT", "OFFSET", "DISTINCT", "WITH", "UNION"),
    *("JOIN", "LEFT", "INNER", "OUTER", "USING", "BETWEEN", "CASE", "WHEN", "THEN", "ELSE", "FILTER", "EXTRACT"),
    *("INTERVAL", "EXISTS", "WITHIN", "OVER", "PARTITION", "LIKE", "ILIKE", "DESC"),
)
_TRIES = 6
_KEYWORDS = frozenset(DuckDB.Tokenizer.KEYWORDS.values())


@dataclass(frozen=True, slots=True)
class Misspelt:
    """A word, where it stands, and what was meant."""

    start: int
    end: int
    meant: str


def misspelt(text: str) -> Misspelt | None:
    """The first word that, spelled as the word of SQL that it resembles, makes a text readable; None: there is none.

    Example:
        >>> misspelt("SELEC COUNT(*) FROM visits")
        Misspelt(start=0, end=5, meant='SELECT')
    """
    try:
        tokens = sqlglot.tokenize(text, read="duckdb")
    except SqlglotError:
        return None
    tried = 0
    for token in tokens:
        word = text[token.start : token.end + 1].upper()
        meant = [one for one in _WORDS if sorted(one) == sorted(word)] or get_close_matches(word, _WORDS, 1, 0.7)
        if token.token_type is not TokenType.VAR or not meant or word in _WORDS:
            continue
        tried += 1
        if _readable(text[: token.start] + meant[0] + text[token.end + 1 :]):
            return Misspelt(token.start, token.end + 1, meant[0])
        if tried == _TRIES:
            break
    return None


def column_of_that_name(text: str) -> tuple[int, int] | None:
    """The first word of SQL that, put into double quotes wherever it stands, is a column of a text that can be read.

    Example:
        >>> column_of_that_name("SELECT Alter, COUNT(*) FROM visits GROUP BY Alter")
        (7, 12)
        >>> column_of_that_name("SELECT COUNT(*) FROM visits WHERE")
    """
    try:
        tokens = sqlglot.tokenize(text, read="duckdb")
    except SqlglotError:
        return None
    words = [token for token in tokens if token.token_type in _KEYWORDS and token.text.isalpha()]
    for name in list(dict.fromkeys(token.text.upper() for token in words if token.text.upper() not in _WORDS))[:_TRIES]:
        quoted = text
        for token in reversed([word for word in words if word.text.upper() == name]):
            quoted = f'{quoted[: token.start]}"{name}"{quoted[token.end + 1 :]}'
        if any(column.name == name for tree in _trees(quoted) for column in tree.find_all(exp.Column)):
            first = next(token for token in words if token.text.upper() == name)
            return first.start, first.end + 1
    return None


def _readable(text: str) -> bool:
    return bool(_trees(text))


def _trees(text: str) -> list[exp.Expr]:
    try:
        return [tree for tree in sqlglot.parse(text, dialect="duckdb") if tree is not None]
    except (SqlglotError, RecursionError):
        return []
