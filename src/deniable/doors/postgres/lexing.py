"""Statements as tokens: enough to take a message apart without ever looking into a literal or a comment."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from deniable.doors.postgres.errors import PgError

_LONGEST = 65_536
_TOKEN = re.compile(
    r"""
    (?P<space>\s+ | --[^\n]* | /\*.*?(?:\*/|\Z))
  | (?P<string>[eE]'(?:[^'\\]|\\.|'')*(?:'|\Z) | [nN]?'(?:[^']|'')*(?:'|\Z))
  | (?P<quoted>"(?:[^"]|"")*(?:"|\Z))
  | (?P<dollar>\$(?P<mark>[A-Za-z_]*)\$.*?(?:\$(?P=mark)\$|\Z))
  | (?P<parameter>\$\d+)
  | (?P<word>[^\W\d][\w$]*)
  | (?P<other>.)
    """,
    re.VERBOSE | re.DOTALL,
)


_UNSAID = {"string": "?", "dollar": "?", "quoted": "?", "space": " "}
"""What stands in a log for a piece whose text people have chosen; comments are space."""


@dataclass(frozen=True, slots=True)
class Lexeme:
    """A piece of a statement; what is never closed reaches to its end."""

    kind: str
    text: str
    start: int

    @property
    def end(self) -> int:
        """Past its last character."""
        return self.start + len(self.text)

    @property
    def name(self) -> str:
        """Of a word or a quoted name: what it names."""
        return self.text[1:-1].replace('""', '"') if self.kind == "quoted" else self.text.lower()


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement of a message, and where in it it begins."""

    text: str
    start: int

    @property
    def words(self) -> tuple[str, ...]:
        """Its first words, in capitals, until something else comes."""
        found: list[str] = []
        for token in tokens(self.text):
            if token.kind == "word":
                found.append(token.text.upper())
            elif token.kind != "space":
                break
        return tuple(found)


def tokens(text: str) -> Iterator[Lexeme]:
    """All of the text, token by token.

    Example:
        >>> [token.text for token in tokens("SELECT 'a;b', $1 -- c") if token.kind != "space"]
        ['SELECT', "'a;b'", ',', '$1']
    """
    for found in _TOKEN.finditer(text):
        yield Lexeme(found.lastgroup if found.lastgroup != "mark" else "dollar", found[0], found.start())  # type: ignore[arg-type]


def split(message: str) -> list[Statement]:
    """The statements of a message; those that are empty are left out. Refused if it is too long to be read.

    Example:
        >>> [one.text for one in split("BEGIN; SELECT ';' ;; -- nothing")]
        ['BEGIN', " SELECT ';' "]
    """
    if len(message) > _LONGEST:
        raise PgError("54001", f"A statement has at most {_LONGEST:,} characters.")
    ends = [token.start for token in tokens(message) if token.text == ";" and token.kind == "other"]
    found = []
    for start, end in zip([0, *(one + 1 for one in ends)], [*ends, len(message)], strict=True):
        text = message[start:end]
        if any(token.kind != "space" for token in tokens(text)):
            found.append(Statement(text, start))
    return found


def shape(text: str) -> str:
    r"""A statement without its constants, comments and quoted names, on one line: what a log may know of it.

    Example:
        >>> shape("SELECT * FROM t\n WHERE a = 'secret' AND b > 17")
        'SELECT * FROM t WHERE a = ? AND b > ?'
    """
    parts = (_UNSAID.get(token.kind, token.text) for token in tokens(text))
    return re.sub(r"(?<![\w$])\d[\w.]*", "?", " ".join("".join(parts).split()))
