"""How a CSV file seems to be laid out, by looking at its rows: for a custodian's draft, never for a question."""

from __future__ import annotations

import codecs
import csv
import re
from pathlib import Path

from deniable.files.days import shown_by
from deniable.files.formats import endings
from deniable.files.layout import DELIMITERS, UTF_8, Layout, start

_BLOCK = 1 << 20
_MOST = 0.9
_POINT = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*")
_COMMA = re.compile(r"\s*[+-]?(\d{1,3}(\.\d{3})+|\d*)(,\d+)?\s*")
_FRACTION = re.compile(r".*,(\d|\d\d|\d{4,})\s*")
_DAY = re.compile(r"\s*\d{4}-\d{2}-\d{2}.*")


def sniffed(path: Path) -> Layout:
    """The layout under which the first rows look most like a table."""
    encoding = _encoding(path)
    text = start(path).decode("utf-8-sig" if encoding == UTF_8 else encoding, "replace")
    cut = text.rfind("\n")
    lines = (text[:cut] if cut > 0 else text).splitlines()
    quote = "'" if '"' not in text and re.search(r"(^|[,;|\t])'[^'\n]*'([,;|\t]|$)", text, re.MULTILINE) else '"'
    named = Layout(quote=quote, encoding=encoding).delimiter_of(path)
    delimiter = max((named, *DELIMITERS), key=lambda sign: _regular(lines, sign, quote))
    rows = [row for row in csv.reader(lines, delimiter=delimiter, quotechar=quote) if row]
    commas = _commas if delimiter != "," else _fractions  # 1,234 between commas is as likely a thousand
    decimal = "," if any(map(commas, _columns(rows[1:]))) else "."
    known = None if delimiter == named and rows and len(rows[0]) > 1 else delimiter
    written = None if known == "," or (known is None and named == ",") else delimiter
    header = not _is_row(rows)
    dates = next(filter(None, map(shown_by, _columns(rows[header:]))), None)
    return Layout(written, quote, decimal, encoding, header, dates)


def _encoding(path: Path) -> str:
    """UTF-8 if all of it is; else by the mark at its start; else what the west has used."""
    first = start(path)
    if first.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    for encoding in (UTF_8, "latin-1", "cp1252"):
        if _decodes(path, encoding):
            return encoding
    return "latin-1"


def _decodes(path: Path, encoding: str) -> bool:
    """Whether every byte means something; in Latin-1, the bytes from 128 to 159 mean nothing that people write."""
    import pyarrow as pa  # noqa: PLC0415 - takes long to import

    decoder = codecs.getincrementaldecoder(encoding)()
    with pa.input_stream(str(path), compression=endings(path)[1]) as stream:
        try:
            while block := stream.read(_BLOCK):
                text = decoder.decode(block)
                if encoding == "latin-1" and re.search("[\x80-\x9f]", text):
                    return False
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            return False
    return True


def _regular(lines: list[str], delimiter: str, quote: str) -> int:
    """How many cells there are in every row, if it is the same number, and more than one."""
    widths = {len(row) for row in csv.reader(lines, delimiter=delimiter, quotechar=quote) if row}
    return max(widths) if len(widths) == 1 and max(widths) > 1 else 0


def _columns(rows: list[list[str]]) -> list[list[str]]:
    """Without blanks."""
    return [[cell for cell in column if cell.strip()] for column in zip(*rows, strict=False)]


def _commas(cells: list[str]) -> bool:
    """Whether commas stand before fractions: among few other words, such as n/a."""
    numbers = [cell for cell in cells if _COMMA.fullmatch(cell)]
    return any("," in cell for cell in numbers) and len(numbers) > _MOST * len(cells)


def _fractions(cells: list[str]) -> bool:
    """Whether the commas cannot stand between thousands."""
    return _commas(cells) and any(_COMMA.fullmatch(cell) and _FRACTION.fullmatch(cell) for cell in cells)


def _is_row(rows: list[list[str]]) -> bool:
    """Whether the first line looks like those below it, and not like names of columns.

    It does, if some cell in it is a number or a day, as all those below it are, and none is a text above numbers.
    """
    if len(rows) <= 1:
        return False
    kinds = [{_kind(cell) for cell in column} for column in _columns(rows[1:])]
    firsts = [_kind(cell) if cell.strip() else "" for cell in rows[0]]
    alike = [bool(first) and kind == {first} for first, kind in zip(firsts, kinds, strict=False)]
    return any(same and first != "text" for same, first in zip(alike, firsts, strict=False)) and not any(
        first == "text" and "text" not in kind for first, kind in zip(firsts, kinds, strict=False) if kind
    )


def _kind(cell: str) -> str:
    if _DAY.fullmatch(cell):
        return "day"
    return "number" if _POINT.fullmatch(cell) or _COMMA.fullmatch(cell) else "text"
