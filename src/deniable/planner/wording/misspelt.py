"""Which word of a question is misspelt: the one with whose correction the question can be read."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches

import sqlglot
from sqlglot import TokenType
from sqlglot.errors import SqlglotError

_WORDS = (
    *("SELECT", "FROM", "WHERE", "GROUP", "BY", "ORDER", "HAVING", "LIMIT", "OFFSET", "DISTINCT", "WITH", "UNION"),
    *("JOIN", "LEFT", "INNER", "OUTER", "USING", "BETWEEN", "CASE", "WHEN", "THEN", "ELSE", "FILTER", "EXTRACT"),
    *("INTERVAL", "EXISTS", "WITHIN", "OVER", "PARTITION", "LIKE", "ILIKE", "DESC"),
)
_TRIES = 6


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


def _readable(text: str) -> bool:
    try:
        return bool(sqlglot.parse(text, dialect="duckdb"))
    except (SqlglotError, RecursionError):
        return False
