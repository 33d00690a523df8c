"""How a CSV file is laid out: what the policy says, and what can be told from its first line."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from deniable.files.formats import endings

UTF_8 = "utf-8"
DELIMITERS = (",", ";", "|", "\t")
_USUAL = {".tsv": "\t"}
_EDGE = 1 << 16
"""A header line is no longer."""


@dataclass(frozen=True, slots=True)
class Layout:
    """What a policy says about a CSV file. None of it is told from rows.

    Example:
        >>> Layout(delimiter=";", decimal=",", encoding="latin-1").facts
        {'delimiter': ';', 'decimal': ',', 'encoding': 'latin-1'}
    """

    delimiter: str | None = None
    """None: what the first line has most of."""
    quote: str = '"'
    decimal: str = "."
    """What stands before the fraction of a number; the other one of point and comma may stand between thousands."""
    encoding: str = UTF_8
    header: bool = True
    """False: the first line is a row, and the columns are called column0, column1 and so on."""
    dates: str | None = None
    """31 December 2025, as the file writes it besides 2025-12-31, which is always read."""

    @property
    def facts(self) -> dict[str, Any]:
        """What is not as usual."""
        return {} if self == _AS_USUAL else {key: said for key, said in asdict(self).items() if said != _USUALLY[key]}

    def delimiter_of(self, path: Path) -> str:
        """As the policy says; else what the first line has most of, quoted names aside, and first of all the usual."""
        if self.delimiter is not None:
            return self.delimiter
        mark = re.escape(self.quote)
        line = re.sub(f"{mark}[^{mark}]*{mark}", "", next(iter(self._start(path).splitlines()), ""))
        usual = _USUAL.get(endings(path)[0], ",")
        return usual if usual in line else max((usual, *DELIMITERS), key=line.count)

    def first_row(self, path: Path) -> list[str]:
        """The cells of the first line, as they are written."""
        rows = csv.reader(
            io.StringIO(self._start(path), newline=""), delimiter=self.delimiter_of(path), quotechar=self.quote
        )
        return next(rows, [])

    def names(self, path: Path) -> list[str]:
        """What the columns are called: each name once, whatever the file says."""
        cells = self.first_row(path)
        return unique(cells) if self.header else [f"column{place}" for place in range(len(cells))]

    def _start(self, path: Path) -> str:
        encoding = "utf-8-sig" if self.encoding == UTF_8 else self.encoding
        return start(path).decode(encoding, "replace")


_AS_USUAL = Layout()
_USUALLY = asdict(_AS_USUAL)


def start(path: Path) -> bytes:
    """The first bytes of a file of texts, as they are before they are compressed."""
    import pyarrow as pa  # noqa: PLC0415 - takes long to import

    if endings(path)[1] is None:
        with path.open("rb") as file:
            return file.read(_EDGE)
    with pa.input_stream(str(path), compression=endings(path)[1]) as stream:
        return bytes(stream.read(_EDGE))


def unique(names: Iterable[str]) -> list[str]:
    """Each name once: one without letters, or one that is there already, however it is written, gets a number.

    Example:
        >>> unique(["a", " b", "A", "", "a"])
        ['a', 'b', 'A_1', 'column3', 'a_2']
    """
    taken: set[str] = set()
    found = []
    for place, written in enumerate(names):
        name = plain = written.strip() or f"column{place}"
        number = 0
        while name.casefold() in taken:
            number += 1
            name = f"{plain}_{number}"
        taken.add(name.casefold())
        found.append(name)
    return found
