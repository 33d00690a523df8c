"""A policy's text as a form: what can be changed from afar, field by field, and the same text with other fields.

Only what a field says is changed; comments, order and everything else stay as they were written. What was written is
read again, and must say what was meant, before anybody sees it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from deniable.core.errors import Refused

_EXPONENT = re.compile(r"(e[+-])0(?=\d)")
"""Powers of ten are written like everywhere: 1e-6."""
_MOST_VALUES = 60
"""A longer list is changed in the text."""
_BUDGET = {"epsilon": "epsilon (ε), in all; only less from here", "delta": "delta (δ), in all"}
_SHARE = {"epsilon": "share of epsilon (ε)", "delta": "share of delta (δ)", "per_question": "usual spend of a question"}
_LIMITS = {
    "least_spend": "least that a charge costs, as a part of the budget",
    "most_spend": "most that a charge costs, as a part of the budget",
    "answer_size": "noisy numbers of one answer, at most",
    "questions_per_day": "charges of one analyst on one day, at most",
}
_ENDS = ("bounds from", "to")


@dataclass(frozen=True, slots=True)
class PolicyField:
    """One thing that can be changed."""

    path: tuple[str | int, ...]
    words: str
    value: str
    """As it is written; empty: it is not there."""
    lines: bool = False
    """Whether it is a list, with one value on each line."""


@dataclass(frozen=True, slots=True)
class PolicyGroup:
    """Fields that belong together: the budget, an analyst, a table, a column."""

    title: str
    fields: tuple[PolicyField, ...]


def groups_of(text: str) -> tuple[PolicyGroup, ...]:
    """Every field that the text has room for, in a fixed order; nothing, if it is not TOML."""
    try:
        written = tomllib.loads(text)
        return tuple(group for group in _groups(written) if group.fields)
    except (tomllib.TOMLDecodeError, RecursionError):
        return ()


def with_fields(text: str, values: Sequence[str]) -> str:
    """The text, in which fields have these values, in their order; those that are as they were stay untouched.

    Raises:
        Refused: the fields are not those of the text, or the text is written so that a field cannot be changed in it.
    """
    fields = [field for group in groups_of(text) for field in group.fields]
    if len(fields) != len(values):
        raise Refused("out-of-step", "The form is not that of the text.", "Open the page again.")
    changed = [(field, value) for field, value in zip(fields, values, strict=True) if _differs(field, value)]
    return _written(text, changed)


def with_analyst(text: str, name: str, epsilon: str) -> str:
    """The text with one analyst more, behind everything else. Raises as `with_fields`."""
    path: tuple[str | int, ...] = ("analysts", name, "epsilon")
    if not name or name in _inner(tomllib.loads(text).get("analysts")):
        raise Refused("not-in-the-form", "A new analyst needs a name that nobody has.", "Choose another name.")
    return _written(text, [(PolicyField(path, "", ""), epsilon)])


def _written(text: str, changed: Sequence[tuple[PolicyField, str]]) -> str:
    meant = tomllib.loads(text)
    try:
        document = tomlkit.parse(text)
        for field, value in changed:
            _put(document, field, value)
            _put(meant, field, value)
        found = document.as_string()
        right = tomllib.loads(found) == meant
    except (TOMLKitError, tomllib.TOMLDecodeError, KeyError, TypeError, ValueError):
        right = False
    if not right:
        hint = "Change it in the text."
        raise Refused("not-in-the-form", "The policy is written so that the form cannot change it.", hint)
    return found


def _groups(written: Mapping[str, Any]) -> Iterator[PolicyGroup]:
    yield PolicyGroup("The budget", tuple(_plain(written, ("budget",), _BUDGET)))
    for name in _inner(written.get("analysts")):
        yield PolicyGroup(f"Analyst {name}", tuple(_plain(written, ("analysts", name), _SHARE)))
    for name, table in _inner(written.get("tables")).items():
        if table.get("public") is True:
            continue
        place = ("tables", name)
        weight = {"contribution": "rows of one person that count, at most"} if "unit" in table else {}
        yield PolicyGroup(f"Table {name}", tuple(_plain(written, place, weight)))
        for column, said in _inner(table.get("columns")).items():
            if column != table.get("unit"):
                yield PolicyGroup(f"{name}: {column}", tuple(_column((*place, "columns", column), said)))
    yield PolicyGroup("Limits", tuple(_plain(written, ("limits",), _LIMITS)))


def _plain(written: Mapping[str, Any], place: tuple[str, ...], known: Mapping[str, str]) -> Iterator[PolicyField]:
    section: Any = written
    for step in place:
        section = section.get(step, {}) if isinstance(section, Mapping) else {}
    for key, words in known.items():
        if isinstance(section, Mapping) and not isinstance(section.get(key), Mapping | list):
            yield PolicyField((*place, key), words, _text(section.get(key)))


def _column(place: tuple[str, ...], said: Mapping[str, Any]) -> Iterator[PolicyField]:
    kind, bounds, values = said.get("type"), said.get("bounds"), said.get("values")
    if kind not in {"text", "boolean"} and values is None and (bounds is None or _is_pair(bounds)):
        for end, words in enumerate(_ENDS):
            yield PolicyField((*place, "bounds", end), words, "" if bounds is None else _text(bounds[end]))
    if kind in {"number", "decimal"}:
        yield PolicyField((*place, "step"), "in steps of", _text(said.get("step")))
    if kind in {"text", "integer"} and bounds is None and (values is None or _is_list(values)):
        yield PolicyField((*place, "values"), "values, one on each line", _lines(values or []), lines=True)


def _is_pair(bounds: object) -> bool:
    return isinstance(bounds, list) and len(bounds) == len(_ENDS)


def _is_list(values: object) -> bool:
    """Whether it can be written line by line."""
    if not isinstance(values, list) or len(values) > _MOST_VALUES:
        return False
    texts = [one for one in values if isinstance(one, str)]
    whole = all(isinstance(one, int) for one in values if not isinstance(one, str))
    return whole and all(one and one == one.strip() and len(one.splitlines()) == 1 for one in texts)


def _differs(field: PolicyField, value: str) -> bool:
    """Whether something else was written, apart from spaces around it."""
    clean = _lines(value.splitlines()) if field.lines else value.strip()
    return clean != field.value


def _put(target: Any, field: PolicyField, value: str) -> None:  # noqa: ANN401 - a document, or what it says
    """Into a document of tomlkit's, or into the plain mapping of what it says, alike."""
    plain = isinstance(target, dict) and not hasattr(target, "as_string")
    *places, key = field.path
    if isinstance(key, int):
        end = key
        *places, key = places
        section = _section(target, places)
        pair = list(section.get(key) or ["", ""])
        pair[end] = _item(value.strip(), pair[end], plain=plain)
        made: Any = pair if any(str(one) for one in pair) else None
    else:
        section = _section(target, places)
        old = section.get(key)
        if field.lines:
            first = next(iter(old or []), "")
            made = [_item(one.strip(), first, plain=plain) for one in value.splitlines() if one.strip()] or None
        else:
            made = _item(value.strip(), old, plain=plain) if value.strip() else None
    if made is None:
        section.pop(key, None)
    else:
        section[key] = deepcopy(made) if plain else made


def _section(target: Any, places: Sequence[str | int]) -> Any:  # noqa: ANN401 - same
    for step in places:
        if step not in target:
            target[step] = {} if not hasattr(target, "as_string") else tomlkit.table()
        target = target[step]
    return target


def _item(text: str, old: object, *, plain: bool) -> Any:  # noqa: ANN401 - what TOML holds
    """A number where a number is written, unless it stands in the place of a text; everything else is a text."""
    if isinstance(old, str) and str(old):
        return text
    try:
        found = tomlkit.value(text)
    except TOMLKitError:
        return text
    number = isinstance(found, int | float) and not isinstance(found, bool)
    if not number:
        return text
    return found.unwrap() if plain else found


def _text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return _EXPONENT.sub(r"\1", repr(value))
    return str(value).lower() if isinstance(value, bool) else str(value)


def _lines(values: Sequence[object]) -> str:
    return "\n".join(clean for one in values if (clean := str(one).strip()))


def _inner(section: object) -> dict[str, Mapping[str, Any]]:
    """Sections below a section."""
    if not isinstance(section, Mapping):
        return {}
    return {name: one for name, one in section.items() if isinstance(one, Mapping)}
