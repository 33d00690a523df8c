"""What is wrong with a file of texts that its reader refuses: which line is no row, and never what is in it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from deniable.files.formats import FileFormat, endings
from deniable.files.layout import UTF_8, Layout

_PLACE = re.compile(r"CSV Error on Line: (\d+)")
_CELLS = re.compile(r"^Expected Number of Columns: (\d+) Found: (\d+)$", re.MULTILINE)
_FAULTS = {
    "Value with unterminated quote found.": "has a quote that is never closed, or something behind a closing one",
    "This file is not utf-8 encoded.": 'is no text in UTF-8; say what it is, as in csv = { encoding = "latin-1" }',
    "bytes exceeded. Actual Size:": "is longer than two million bytes, or has a quote that is closed much later",
}
"""By what DuckDB says of them."""
_NAMELESS = "its first line is empty, and should have the names of the columns"
_ENDS = "its lines end in different ways, some with CR LF and some with LF, or a line break is in a cell without quotes"


def reason(kind: FileFormat, files: Sequence[Path], layout: Layout, error: Exception) -> str:
    """In words for custodians. A reader's own words may quote rows."""
    said = str(error)
    if isinstance(error, OSError) or kind not in (FileFormat.CSV, FileFormat.NDJSON):
        return next(iter(said.splitlines()), type(error).__name__)
    if kind is FileFormat.NDJSON:
        return f"{_named(files, _no_object) or 'a line'} is not one JSON object, each key once"
    if "reached an invalid state" in said:
        place = _named(files, lambda path: _unlike(path, layout))
        return _ENDS + (f": {place} does not end as the first one does" if place else "")
    found = _PLACE.search(said)
    if found is None:
        return _NAMELESS if "at least a single column" in said else "it is not CSV with a header line"
    return f"line {int(found.group(1)):,} {_fault(said)}"


def _fault(said: str) -> str:
    """Of a line of a CSV file."""
    for expected, cells in _CELLS.findall(said)[-1:]:
        if expected == "1":
            return "has more cells than the first one, which has one: if that is a title, take it out of the file"
        return f"does not have {int(expected):,} cells, as the first one has, but {int(cells):,}"
    return next((words for mark, words in _FAULTS.items() if mark in said), "is no row")


def _named(files: Sequence[Path], first: Callable[[Path], int | None]) -> str:
    """The first such line of all; in which file, if there are several."""
    for path in files:
        if (place := first(path)) is not None:
            return f"line {place:,}{f' of {path.name}' if len(files) > 1 else ''}"
    return ""


def _no_object(path: Path) -> int | None:
    for number, line in enumerate(_lines(path), start=1):
        try:
            if line.strip() and not isinstance(json.loads(line, object_pairs_hook=_each_once), dict):
                return number
        except ValueError:
            return number
    return None


def _each_once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError
    return found


def _unlike(path: Path, layout: Layout) -> int | None:
    """The first line that does not end as the first, or has a CR in it; what is in quotes does not count."""
    if layout.encoding != UTF_8:  # it is read as a copy
        return None
    quote, inside, usual = layout.quote.encode(), False, b""
    for number, line in enumerate(_lines(path), start=1):
        inside ^= line.count(quote) % 2 == 1
        end = b"\r\n" if line.endswith(b"\r\n") else b"\n"
        usual = usual or end
        if not inside and (end != usual or b"\r" in line[: -len(end)]):
            return number
    return None


def _lines(path: Path) -> Iterator[bytes]:
    import pyarrow as pa  # noqa: PLC0415 - takes long to import

    rest = b""
    with pa.input_stream(str(path), compression=endings(path)[1]) as stream:
        while block := stream.read(1 << 20):
            *whole, rest = (rest + block).split(b"\n")
            yield from (line + b"\n" for line in whole)
    if rest:
        yield rest
