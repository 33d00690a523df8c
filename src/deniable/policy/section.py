"""One table of the TOML, which hands out its keys as what they must be and notes what is wrong with them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from enum import Enum
from fractions import Fraction
from typing import TypeVar
from unicodedata import normalize

from deniable.policy.problems import Problem, closest
from deniable.policy.written import fraction, shown

Choice = TypeVar("Choice", bound=Enum)

_BARE = re.compile(r"[A-Za-z0-9_-]+")


class Section:
    """A reader that never raises: what is missing or wrong is None, and a problem in the list that all sections share.

    It remembers what it was asked for. Those are the keys that exist, so `finish` can refuse all others: a key that is
    misspelt must not silently weaken a promise.

    Example:
        >>> section = Section({"epsilon": 1, "detla": 0.1})
        >>> section.number("epsilon", "epsilon = 1.0"), section.number("delta", "delta = 1e-6"), section.finish()
        (Fraction(1, 1), None, None)
        >>> print(*section.problems)
        detla: is not a key here
            did you mean 'delta'? the keys here are: epsilon, delta
    """

    def __init__(self, data: object, path: tuple[str, ...] = (), problems: list[Problem] | None = None) -> None:
        self.problems: list[Problem] = [] if problems is None else problems
        self._path = path
        self._asked: list[str] = []
        self.sound = isinstance(data, Mapping)
        self._data: Mapping[object, object] = data if isinstance(data, Mapping) else {}
        if not self.sound:
            self.problem(None, f"must be a table, not {shown(data)}", f"write [{dotted(path)}] and its keys below it")

    def problem(self, key: str | None, what: str, instead: str) -> None:
        """Note what is wrong with a key, or with the section itself; noted once, however often it is asked for."""
        found = Problem(dotted(self._path if key is None else (*self._path, key)), what, instead)
        if found not in self.problems:
            self.problems.append(found)

    def value(self, key: str) -> object | None:
        """What is written, whatever it is. TOML has no null; from Python, None counts as left out."""
        if key not in self._asked:
            self._asked.append(key)
        return self._data.get(key)

    def require(self, key: str, instead: str) -> None:
        """Note that the key is missing, if it is. What is not even a section has that problem and no others."""
        if self.value(key) is None and self.sound:
            self.problem(key, "is missing", f"write {instead}")

    def text(self, key: str, instead: str) -> str | None:
        """A text that is not blank."""
        value = self.value(key)
        if isinstance(value, str) and value.strip():
            return value
        if value is not None:
            self._wrong(key, "a text", value, instead)
        return None

    def flag(self, key: str, *, default: bool) -> bool:
        """True or false."""
        value = self.value(key)
        if value is not None and not isinstance(value, bool):
            self._wrong(key, "true or false", value, f"{key} = {str(not default).lower()}")
        return value if isinstance(value, bool) else default

    def number(self, key: str, instead: str, *, zero: bool = False) -> Fraction | None:
        """A positive number, exactly as written; where it makes sense, zero."""
        value = self.value(key)
        number = fraction(value)
        if number is not None and (number > 0 or (zero and number == 0)):
            return number
        if value is not None:
            self._wrong(key, "zero or a positive number" if zero else "a positive number", value, instead)
        return None

    def whole(self, key: str, instead: str, *, most: int) -> int | None:
        """A whole number from 1 to `most`."""
        value = self.value(key)
        number = fraction(value)
        if number is not None and number.denominator == 1 and 1 <= number <= most:
            return int(number)
        if value is not None:
            self._wrong(key, f"a whole number from 1 to {most}", value, instead)
        return None

    def choice(self, key: str, options: type[Choice]) -> Choice | None:
        """One of a few words."""
        value = self.value(key)
        words = [option.value for option in options]
        if isinstance(value, str) and value in words:
            return options(value)
        if value is not None:
            guess = closest(value, words) if isinstance(value, str) else ""
            self.problem(key, f"cannot be {shown(value)}", f"{guess}write one of: {', '.join(words)}")
        return None

    def inner(self, key: str) -> Section:
        """The section below this one; empty if it is left out."""
        value = self.value(key)
        return Section({} if value is None else value, (*self._path, key), self.problems)

    def each(self) -> dict[str, Section]:
        """All sections below this one, whose names the custodian chose; case alone does not tell two names apart."""
        sections: dict[str, Section] = {}
        seen: dict[str, str] = {}
        for name, data in self._data.items():
            if not isinstance(name, str) or not name.strip():
                self.problem(None, f"has {shown(name)} as a name", "choose a name that can be read")
                continue
            other = seen.setdefault(normalize("NFC", name).casefold(), name)
            if other != name:
                self.problem(name, f"differs from '{other}' only in upper and lower case", "rename one of them")
            sections[name] = Section(data, (*self._path, name), self.problems)
        return sections

    def finish(self) -> None:
        """Refuse every key that nobody asked for."""
        for key in self._data:
            if key not in self._asked:
                name = key if isinstance(key, str) else shown(key)
                hint = f"{closest(name, self._asked)}the keys here are: {', '.join(self._asked)}"
                self.problem(name, "is not a key here", hint)

    def _wrong(self, key: str, wanted: str, value: object, instead: str) -> None:
        """It is there, and it is something else."""
        self.problem(key, f"must be {wanted}, not {shown(value)}", f"write {instead}")


def dotted(path: tuple[str, ...]) -> str:
    """The path as TOML writes it.

    Example:
        >>> dotted(("tables", "my visits", "unit"))
        'tables."my visits".unit'
    """
    return ".".join(part if _BARE.fullmatch(part) else json.dumps(part, ensure_ascii=False) for part in path)
