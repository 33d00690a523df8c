"""What a policy says about how a CSV file is laid out."""

from __future__ import annotations

import codecs

from deniable.files.days import is_shown
from deniable.files.layout import Layout
from deniable.policy.section import Section
from deniable.policy.written import shown

_BINARY = "\n\r\x00"


def read_layout(section: Section) -> Layout:
    """The layout that a section declares; what it leaves out is as usual.

    Example:
        >>> section = Section({"delimiter": ";", "decimal": ",", "encoding": "latin1"})
        >>> read_layout(section).facts
        {'delimiter': ';', 'decimal': ',', 'encoding': 'iso8859-1'}
    """
    usual = Layout()
    delimiter = _sign(section, "delimiter", 'delimiter = ";"')
    quote = _sign(section, "quote", 'quote = "\'"') or usual.quote
    decimal = _sign(section, "decimal", 'decimal = ","') or usual.decimal
    encoding = _encoding(section) or usual.encoding
    header = section.flag("header", default=True)
    dates = _dates(section)
    section.finish()
    if decimal not in {".", ","}:
        section.problem("decimal", f"cannot be {shown(decimal)}", 'write decimal = "." or decimal = ","')
    if delimiter is not None and delimiter in {quote, decimal}:
        section.problem("delimiter", f"{shown(delimiter)} has another meaning already", 'write delimiter = ";"')
    return Layout(delimiter, quote, decimal, encoding, header, dates)


def _sign(section: Section, key: str, instead: str) -> str | None:
    """One character."""
    value = section.value(key)
    if value is None or (isinstance(value, str) and len(value) == 1 and value.isascii() and value not in _BINARY):
        return value
    section.problem(key, f"must be one character, not {shown(value)}", f"write {instead}")
    return None


def _dates(section: Section) -> str | None:
    """How days are written, by the example of one that cannot be read in two ways."""
    written = section.text("dates", 'dates = "31.12.2025"')
    if written is None or is_shown(written):
        return written
    wanted = "must be 31 December 2025 as the file would write it, with all four digits of the year"
    section.problem("dates", f"{wanted}, not {shown(written)}", 'write dates = "31.12.2025" or dates = "12/31/2025"')
    return None


def _encoding(section: Section) -> str | None:
    """A way to write texts as bytes, by whichever of its names."""
    written = section.text("encoding", 'encoding = "latin-1"')
    if written is None:
        return None
    try:
        found = codecs.lookup(written)
        "a".encode(written)
    except (LookupError, UnicodeError, TypeError, ValueError):
        section.problem("encoding", f"{shown(written)} is no way to write texts", 'write "utf-8" or "latin-1"')
        return None
    return found.name
