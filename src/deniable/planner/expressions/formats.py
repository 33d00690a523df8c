"""Formats of dates and moments: which signs are known, how long what they write can be, and how finely they tell apart.

Formats are those of `strftime`. Those of PostgreSQL's `to_char` are put into these words.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

from deniable.core.algebra.expression import Expression, Literal, Range
from deniable.core.errors import InvalidArgumentError

_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_NOON = 12


@dataclass(frozen=True, slots=True)
class _Sign:
    """What one sign of a format writes."""

    longest: int
    unit: str
    """The coarsest unit of which all moments are written alike."""


_SIGNS = {
    "%Y": _Sign(4, "year"),
    "%y": _Sign(2, "year"),
    "%G": _Sign(4, "week"),
    "%m": _Sign(2, "month"),
    "%-m": _Sign(2, "month"),
    "%b": _Sign(3, "month"),
    "%B": _Sign(9, "month"),
    "%V": _Sign(2, "week"),
    "%d": _Sign(2, "day"),
    "%-d": _Sign(2, "day"),
    "%j": _Sign(3, "day"),
    "%a": _Sign(3, "day"),
    "%A": _Sign(9, "day"),
    "%u": _Sign(1, "day"),
    "%w": _Sign(1, "day"),
    "%H": _Sign(2, "hour"),
    "%-H": _Sign(2, "hour"),
    "%I": _Sign(2, "hour"),
    "%p": _Sign(2, "hour"),
    "%M": _Sign(2, "minute"),
    "%S": _Sign(2, "second"),
    "%f": _Sign(6, "microsecond"),
}
_PARTS = re.compile(r"%-?.|[^%]+|%", re.DOTALL)
_FINER = ("year", "month", "week", "day", "hour", "minute", "second", "microsecond")
_LETTERS = re.compile(
    r"YYYY|IYYY|HH24|HH12|Month|Mon|Day|Dy|FM|MM|DDD|DD|IW|ID|HH|MI|SS|US|AM|PM|YY|\"[^\"]*\"|[A-Za-z]+|[^A-Za-z\"]+"
)
_AS_SIGNS = {"YYYY": "%Y", "YY": "%y", "IYYY": "%G", "MM": "%m", "Mon": "%b", "DD": "%d", "DDD": "%j", "IW": "%V"}
_AS_SIGNS |= {"ID": "%u", "Dy": "%a", "HH24": "%H", "HH12": "%I", "HH": "%I", "MI": "%M", "SS": "%S", "US": "%f"}
_AS_SIGNS |= {"AM": "%p", "PM": "%p"}
_PADDED = {"Month": "%B", "Day": "%A"}
"""Which `to_char` fills up with blanks, unless FM stands before them."""


def checked(arguments: tuple[Expression, ...]) -> Range:
    """A text has no range; its format must be a constant whose signs are all known."""
    pattern = arguments[1]
    if not isinstance(pattern, Literal) or not isinstance(pattern.value, str) or not pattern.value:
        raise InvalidArgumentError("format", "must be a constant text, as '%Y-%m'")
    _signs(pattern.value)
    return Range()


def longest(pattern: str) -> int:
    """How many characters this can write."""
    return sum(part if isinstance(part, int) else part.longest for part in _signs(pattern))


def unit_of(pattern: str) -> str:
    """The coarsest unit of which all moments are written alike.

    Example:
        >>> unit_of("%Y-%m"), unit_of("%H:%M"), unit_of("%G-W%V")
        ('month', 'minute', 'week')
    """
    units = [part.unit for part in _signs(pattern) if not isinstance(part, int)]
    finest = max(units, key=_FINER.index, default="year")
    return "day" if finest == "week" and {"year", "month"} & {*units} else finest


def written(moment: datetime, pattern: str) -> str:
    """The moment in this format, as the engine writes it: in English, whatever language this program runs in."""
    year, week, weekday = moment.isocalendar()
    words = {
        "%Y": f"{moment.year:04}",
        "%y": f"{moment.year % 100:02}",
        "%G": f"{year:04}",
        "%m": f"{moment.month:02}",
        "%-m": str(moment.month),
        "%b": _MONTHS[moment.month - 1][:3],
        "%B": _MONTHS[moment.month - 1],
        "%V": f"{week:02}",
        "%d": f"{moment.day:02}",
        "%-d": str(moment.day),
        "%j": f"{moment.timetuple().tm_yday:03}",
        "%a": _DAYS[weekday - 1][:3],
        "%A": _DAYS[weekday - 1],
        "%u": str(weekday),
        "%w": str(weekday % 7),
        "%H": f"{moment.hour:02}",
        "%-H": str(moment.hour),
        "%I": f"{(moment.hour - 1) % _NOON + 1:02}",
        "%p": "AM" if moment.hour < _NOON else "PM",
        "%M": f"{moment.minute:02}",
        "%S": f"{moment.second:02}",
        "%f": f"{moment.microsecond:06}",
        "%%": "%",
    }
    return "".join(words.get(part, part) for part in _PARTS.findall(pattern))


def from_letters(pattern: str) -> str:
    """The format that `to_char` writes in letters, in signs.

    Example:
        >>> from_letters("YYYY-MM"), from_letters("FMMonth YY")
        ('%Y-%m', '%B %y')
    """
    signs, bare = [], False
    for part in _LETTERS.findall(pattern):
        if part in _PADDED and bare:
            signs.append(_PADDED[part])
        elif part.startswith('"'):
            signs.append(part[1:-1].replace("%", "%%"))
        elif part in _AS_SIGNS and not bare:
            signs.append(_AS_SIGNS[part])
        elif part != "FM" and part.isalpha():
            raise InvalidArgumentError("to_char", f"does not know {part!r} here; use YYYY, MM, DD, HH24, MI, SS")
        elif part != "FM":
            signs.append(part.replace("%", "%%"))
        bare = part == "FM"
    return "".join(signs)


def _signs(pattern: str) -> list[_Sign | int]:
    """The signs, and between them how many characters stand for themselves."""
    found: list[_Sign | int] = []
    for part in _PARTS.findall(pattern):
        if part == "%%" or not part.startswith("%"):
            found.append(len(part.replace("%%", "%")))
        elif part in _SIGNS:
            found.append(_SIGNS[part])
        else:
            raise InvalidArgumentError("format", f"has {part!r}, which is not known; use {', '.join(_SIGNS)}")
    return found
