"""COPY (...) TO STDOUT: a result as text, CSV or in PostgreSQL's binary form."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from deniable.doors.postgres.errors import PgError, unsupported
from deniable.doors.postgres.lexing import Lexeme, tokens
from deniable.doors.postgres.messages import data_row
from deniable.doors.postgres.types import Value, to_binary, to_text

_SIGNATURE = b"PGCOPY\n\xff\r\n\0" + bytes(8)
_ESCAPES = {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r", "\b": "\\b", "\f": "\\f", "\v": "\\v"}


@dataclass(frozen=True, slots=True)
class CopyForm:
    """How rows are written."""

    format: str = "text"
    delimiter: str = "\t"
    null: str = "\\N"
    header: bool = False
    quote: str = '"'

    def messages(self, names: Sequence[str], oids: Sequence[int], rows: Sequence[tuple[Value, ...]]) -> Iterator[bytes]:
        """The bodies of the CopyData messages; in binary, the header travels with the first row."""
        if self.format == "binary":
            head = _SIGNATURE
            for row in rows:
                yield head + data_row([to_binary(value, oid) for value, oid in zip(row, oids, strict=True)])
                head = b""
            yield head + struct.pack("!h", -1)
            return
        if self.header:
            yield self._line(list(names))
        for row in rows:
            texts = [to_text(value) for value in row]
            yield self._line([None if text is None else text.decode() for text in texts])

    def _line(self, values: Sequence[str | None]) -> bytes:
        write = self._csv if self.format == "csv" else self._plain
        return (self.delimiter.join(self.null if one is None else write(one) for one in values) + "\n").encode()

    def _plain(self, text: str) -> str:
        escapes = {**_ESCAPES, self.delimiter: _ESCAPES.get(self.delimiter, "\\" + self.delimiter)}
        return "".join(escapes.get(one, one) for one in text)

    def _csv(self, text: str) -> str:
        needs = text == self.null or any(one in text for one in (self.delimiter, self.quote, "\n", "\r"))
        return self.quote + text.replace(self.quote, self.quote * 2) + self.quote if needs else text


def copied(text: str) -> tuple[str, int, CopyForm]:
    """The question that a COPY statement copies, where it begins, and how it is written.

    Example:
        >>> copied("COPY (SELECT 1) TO STDOUT WITH (FORMAT csv, HEADER)")[2]
        CopyForm(format='csv', delimiter=',', null='', header=True, quote='"')
    """
    parts = [token for token in tokens(text) if token.kind != "space"]
    if len(parts) < 2 or parts[1].text != "(":  # noqa: PLR2004 - COPY and what comes next
        raise PgError("42501", "Rows are not copied.", hint="Copy a question: COPY (SELECT ...) TO STDOUT.")
    end = _closing(parts, 1)
    rest = [part.name if part.kind != "string" else part.text for part in parts[end + 1 :]]
    if rest[:2] != ["to", "stdout"]:
        raise unsupported("COPY is supported TO STDOUT only.", "Write COPY (SELECT ...) TO STDOUT.")
    return text[parts[1].end : parts[end].start], parts[1].end, _form(rest[2:])


def _closing(parts: Sequence[Lexeme], opened: int) -> int:
    depth = 0
    for place in range(opened, len(parts)):
        depth += (parts[place].text == "(") - (parts[place].text == ")")
        if depth == 0:
            return place
    raise PgError("42601", "A bracket is not closed.", place=parts[opened].start)


def _form(words: Sequence[str]) -> CopyForm:
    """The options, new or old style."""
    left = [word for word in words if word not in {"with", "(", ")", ",", "as"}]
    said: dict[str, str] = {}
    while left:
        word = left.pop(0)
        if word in {"binary", "csv", "text"}:
            said["format"] = word
        elif word == "header":
            said[word] = left.pop(0) if left and left[0] in {"true", "on", "false", "off", "1", "0"} else "true"
        elif word in {"format", "delimiter", "null", "quote", "encoding"} and left:
            said[word] = left.pop(0).strip("'").lower() if word in {"format", "encoding"} else _unquoted(left.pop(0))
        else:
            raise unsupported(f"COPY has no option {word} here.", "There are: FORMAT, HEADER, DELIMITER, NULL, QUOTE.")
    form = said.get("format", "text")
    if form not in {"text", "csv", "binary"} or said.get("encoding", "utf8") not in {"utf8", "utf-8"}:
        raise PgError("22023", "COPY writes text, csv or binary, in UTF8.")
    usual = CopyForm(form, ",", "") if form == "csv" else CopyForm(form)
    delimiter, quote = said.get("delimiter", usual.delimiter), said.get("quote", usual.quote)
    if len(delimiter) != 1 or len(quote) != 1:
        raise PgError("22023", "COPY delimiter and quote must be a single character.")
    header = said.get("header", "false") in {"true", "on", "1"}
    return CopyForm(form, delimiter, said.get("null", usual.null), header, quote)


def _unquoted(word: str) -> str:
    if word[:1] in "eE" and word[1:2] == "'":
        return word[2:-1].replace("\\t", "\t").replace("\\\\", "\\")
    return word[1:-1].replace("''", "'") if word.startswith("'") else word
