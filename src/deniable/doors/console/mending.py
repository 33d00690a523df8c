"""What a hint suggests, as buttons: each writes the question, the delta or the amount that the hint speaks of."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, replace
from math import floor, log10

from deniable.core.errors import Refused
from deniable.doors.console.written import WrittenQuestion

_MEANT = re.compile(r"""[Dd]id you mean (?:'([^']+)'|("(?:[^"]|"")+"), in double quotes|([^?]+))\?""")
_TABLES = re.compile(r"(?:There is|Write FROM) ([\w, \"]+)\.\Z")
_GROUPED = re.compile(r"Write GROUP BY (.+?), or put it into an aggregate such as (.+)\.\Z")
_WRITTEN = re.compile(r"(?:Write|Use|Group by) (?=[A-Z_]+\()")
_LIMIT = re.compile(r"Write LIMIT (\d+)\.")
_EITHER = re.compile(r"Write (TRUE) or (FALSE)\.")
_ENDING = re.compile(r"\b(?:HAVING|ORDER\s+BY|LIMIT)\b", re.IGNORECASE)
_WORD = re.compile(r"[A-Za-z_]\w*")
_TEXT = re.compile(r"'(?:[^']|'')*'")
_DELTA = "1e-8"
_MOST = 3
"""Buttons."""


@dataclass(frozen=True, slots=True)
class Mended:
    """A button: what it says, and which field it fills with what."""

    words: str
    field: str
    value: str


async def mended(
    written: WrittenQuestion, refusal: Refused, usual: str, price: Callable[[WrittenQuestion], Awaitable[object]]
) -> tuple[Mended, ...]:
    """What the hint suggests, first what then has a price. What leads to the same refusal again is not offered."""
    good: dict[str, Mended] = {}
    better: dict[str, Mended] = {}
    for one in dict.fromkeys(_candidates(written, refusal, usual)):
        try:
            await price(replace(written, **{one.field: one.value}))
        except Refused as other:
            if (other.code, other.reason) != (refusal.code, refusal.reason) and other.code != "syntax":
                better.setdefault(one.words, one)
        else:
            good.setdefault(one.words, one)
    return tuple((good | {words: one for words, one in better.items() if words not in good}).values())[:_MOST]


def _candidates(written: WrittenQuestion, refusal: Refused, usual: str) -> Iterator[Mended]:
    """By what the hint says; the hints are the planner's, and tests hold both together."""
    if refusal.code == "private-keys":
        yield Mended(f"Give δ {_DELTA}", "delta", _DELTA)
    if refusal.code == "bad-spend" and not written.amount and usual:
        yield Mended(f"Pay {'ρ' if written.pay == 'rho' else 'ε'} {usual}", "amount", usual)
    if refusal.code == "many-statements":
        yield Mended("Keep the first", "sql", written.sql.partition(";")[0])
    if refusal.position is not None:
        yield from _instead(_Place.of(written.sql, *refusal.position), refusal.hint)


def _instead(place: _Place, hint: str) -> Iterator[Mended]:
    """What could stand in this place."""
    if (meant := _MEANT.match(hint)) is not None:
        yield place.word(meant[1] or meant[2] or meant[3])
    elif (tables := _TABLES.match(hint)) is not None:
        yield from (place.whole(name.strip()) for name in tables[1].split(","))
    elif (grouped := _GROUPED.match(hint)) is not None:
        yield from place.grouped(grouped[1])
        yield place.whole(grouped[2])
    elif (either := _EITHER.match(hint)) is not None:
        yield from (place.text(value) for value in either.groups())
    elif (limit := _LIMIT.match(hint)) is not None:
        yield place.whole(limit[1])
    elif (instead := _WRITTEN.match(hint)) is not None:
        text = _Place.of(hint, instead.end(), hint.index("(") + 1).here
        yield place.whole(text)
        yield place.everywhere(text)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where something is refused, and what stands there."""

    before: str
    here: str
    after: str

    @classmethod
    def of(cls, sql: str, start: int, end: int) -> _Place:
        """With the brackets that it opens closed."""
        opened = sql.count("(", start, end) - sql.count(")", start, end)
        while end < len(sql) and opened > 0:
            opened += (sql[end] == "(") - (sql[end] == ")")
            end += 1
        return cls(sql[:start], sql[start:end], sql[end:])

    def whole(self, text: str) -> Mended:
        """This instead of all of it."""
        return self._mended(text, text)

    def word(self, text: str) -> Mended:
        """This instead of the name of a function, or of all of it: brackets in quotes are part of a name."""
        called = "(" in self.here and not self.here.startswith('"')
        return self._mended(text, _WORD.sub(lambda _: text, self.here, count=1) if called else text)

    def text(self, value: str) -> Mended:
        """This instead of what stands in quotes."""
        return self._mended(value, _TEXT.sub(value, self.here, count=1))

    def everywhere(self, text: str) -> Mended:
        """This wherever the same name stands by itself."""
        name = re.compile(rf"(?<![\w.(]){re.escape(self.here)}(?![\w(])")
        return Mended(f"Write {text}", "sql", name.sub(lambda _: text, f"{self.before}{self.here}{self.after}"))

    def grouped(self, key: str) -> Iterator[Mended]:
        """With GROUP BY at the end, where there is none yet."""
        sql = f"{self.before}{self.here}{self.after}".rstrip().rstrip(";")
        if re.search(r"\bGROUP\s+BY\b|\(\s*SELECT\b", sql, re.IGNORECASE):
            return
        ending = _ENDING.search(sql)
        end = len(sql) if ending is None else len(sql[: ending.start()].rstrip())
        yield Mended(f"Add GROUP BY {key}", "sql", f"{sql[:end]}\nGROUP BY {key}{sql[end:]}")

    def _mended(self, said: str, text: str) -> Mended:
        return Mended(f"Write {said}", "sql", f"{self.before}{text}{self.after}")


def usual_amount(share: float) -> str:
    """A twentieth of a share, to one digit: a number to begin with, where the policy names none."""
    if share <= 0:
        return ""
    each = share / 20
    digit = 10.0 ** floor(log10(each))
    return f"{floor(each / digit) * digit:.1g}"
