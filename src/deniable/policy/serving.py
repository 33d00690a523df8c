"""How answers leave when a population is served: when, and how many questions run at once."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from deniable.policy.section import Section
from deniable.policy.written import shown

_UNITS = {"ms": Fraction(1, 1000), "s": Fraction(1), "m": Fraction(60)}
_WRITTEN = re.compile(r"([0-9]+(?:\.[0-9]+)?) ?(ms|s|m)")
_LONGEST = Fraction(3600)
_MOST_PLACES = 64


@dataclass(frozen=True, slots=True)
class ServeSettings:
    """What `deniable serve` keeps to. Nothing here changes an answer, only when it leaves.

    Example:
        >>> read_serving(Section({"release_after": "1.5s"}))
        ServeSettings(release_after=1.5, places=1)
    """

    release_after: float = 2.0
    """Seconds from the start of a question to its answer, or to the next multiple; 0: as soon as it is there."""
    places: int = 1
    """Questions that run at once; each holds its place until its answer leaves."""


def read_serving(section: Section) -> ServeSettings:
    """The section, with defaults for what is left out."""
    usual = ServeSettings()
    after = _seconds(section, "release_after")
    places = section.whole("places", "places = 2, how many questions run at once", most=_MOST_PLACES)
    section.finish()
    return ServeSettings(usual.release_after if after is None else after, places or usual.places)


def _seconds(section: Section, key: str) -> float | None:
    """A length of time, as people write it."""
    written = section.value(key)
    if written is None:
        return None
    found = _WRITTEN.fullmatch(written.strip()) if isinstance(written, str) else None
    seconds = None if found is None else Fraction(found[1]) * _UNITS[found[2]]
    if seconds is None or seconds > _LONGEST:
        section.problem(key, f"{shown(written)} is not a length of time up to an hour", f'write {key} = "2s"')
        return None
    return float(seconds)
