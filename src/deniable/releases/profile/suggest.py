"""Suggestions for the policy, from the private profile alone: no look at the data, and no cost."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from deniable.core.algebra.expression import Kind
from deniable.core.calendar import DAY
from deniable.releases.profile.cells import row_edges
from deniable.releases.profile.histogram import ValueHistogram
from deniable.releases.profile.people import Between, RowsPerPerson
from deniable.releases.profile.profile import ListedValues, Profile, around, shown

_MARK = "# from the private profile"
_LIST = r'\[(?:"(?:[^"\\]|\\.)*"|[^"\]])*\]'
"""As TOML writes it on one line, with texts that may hold brackets."""
_STRING = r"\"(?:[^\"\\]|\\.)*\"|'[^']*'"
_KEY = re.compile(rf"\s*({_STRING}|[\w-]+)\s*=")
_COLUMN = re.compile(rf"({_KEY.pattern}\s*\{{(?:{_STRING}|[^{{}}#\"'])*)\}}\s*(#.*)?")
"""A column on one line, and what is said of it."""
_SEEN = 0.001
"""The least share that is written as one."""
_BEYOND = 0.005
"""Of the values, about so many may lie beyond each bound."""
_FEW_PEOPLE = "too much noise for so few people"
_FEW = 5
"""Columns without suggestions that are named."""
_MOST = 0.25
"""Bounds outside of which more of the values may lie were chosen by noise, and are not suggested."""


@dataclass(frozen=True)
class Suggestion:
    """One line of the policy: what to write, and why."""

    table: str
    column: str | None
    """None: about the table itself."""
    setting: str
    value: str
    """As TOML."""
    why: str

    def __str__(self) -> str:
        """As it is shown."""
        place = f"tables.{self.table}" + (f".columns.{self.column}" if self.column else "")
        return f"{place}: {self.setting} = {self.value}   # {self.why}"


def suggestions(
    profile: Profile, epsilon: Fraction, never_missing: Collection[tuple[str, str]] = ()
) -> tuple[Suggestion, ...]:
    """Bounds at private quantiles, as friendly numbers, and the contribution with the least expected total error.

    Also the values of texts that were found, and nulls, where some surely are. `epsilon` is what a typical question
    spends: the more, the less noise, and the larger the contribution. `never_missing`: tables and columns of which the
    policy says `nulls = false`. (No private number can say that nobody's value is missing.)
    """
    found = []
    for table in profile.tables.values():
        if table.people is not None and table.people.telling:
            best = best_contribution(table.people, 1 / float(epsilon))
            why = f"{_left_out(table.people, best)}; best for a count at ε {float(epsilon):g}"
            found.append(Suggestion(table.name, None, "contribution", str(best), why))
        for name, column in table.columns.items():
            bounds, outside = _bounds(column)
            if bounds is None or outside is None or outside.high > _MOST:
                continue
            value = f"[{_toml(bounds[0], column.kind)}, {_toml(bounds[1], column.kind)}]"
            why = f"about {outside.value:.1%} of the values lie outside (at most {outside.high:.1%})"
            found.append(Suggestion(table.name, name, "bounds", value, why))
        found += [_listed(table.name, one) for one in table.listed.values() if one.found]
        missing = {name: column.missing for name, column in table.columns.items()}
        missing |= {name: listed.missing for name, listed in table.listed.items()}
        found += [
            Suggestion(table.name, name, "nulls", "true", f"{around(share, whole=False)} of the values are missing")
            for name, share in missing.items()
            if share.low > 0 and (table.name, name) in never_missing
        ]
    return tuple(found)


def untold(profile: Profile) -> tuple[str, ...]:
    """For what nothing is suggested, because the noise is too large for so few people, and what to do."""
    found: list[str] = []
    for table in profile.tables.values():
        if table.people is not None and not table.people.telling:
            why = f"{_FEW_PEOPLE}: nobody can tell how many rows they have"
            found.append(f"tables.{table.name}: no contribution suggested, {why}; spend more rho, or say it")
        outside = {name: _bounds(column)[1] for name, column in table.columns.items()}
        unsure = {name: share for name, share in outside.items() if share is None or share.high > _MOST}
        listed = dict(list(unsure.items())[:_FEW])
        for name, share in listed.items():
            most = "nobody can tell how many" if share is None else f"up to {share.high:.0%}"
            why = f"{_FEW_PEOPLE}: {most} of the values could lie outside"
            found.append(f"tables.{table.name}.columns.{name}: no bounds suggested, {why}; spend more rho, or say them")
        if more := len(unsure) - len(listed):
            found.append(f"tables.{table.name}: and for {more:,} more columns, for the same reason")
    return tuple(found)


def _bounds(column: ValueHistogram) -> tuple[tuple[Fraction, Fraction] | None, Between | None]:
    """Bounds that noise could find, if any, and which share of the values lies outside of them."""
    bounds = column.bounds(_BEYOND)
    return bounds, None if bounds is None else column.outside(*bounds)


def _left_out(people: RowsPerPerson, contribution: int) -> str:
    """What a contribution cuts, and of whom nothing is known."""
    cut = people.cut(contribution)
    share = f"{cut.low:.1%} to {cut.high:.1%}" if cut.low >= _SEEN else f"at most {cut.high:.1%}"
    more = f" of people with up to {people.known:,}; at most {people.beyond:,} have more" if people.beyond else ""
    return f"leaves out {share} of the rows{more}"


def _listed(table: str, one: ListedValues) -> Suggestion:
    """Texts that were found, as the values of their column."""
    value = json.dumps(one.values, ensure_ascii=False).replace("\x7f", "\\u007f")  # the one sign that TOML escapes, too
    why = f"common texts; {around(one.others, whole=False)} of the values are others"
    return Suggestion(table, one.name, "values", value, why)


def best_contribution(people: RowsPerPerson, noise: float, part: float = 1, most: int | None = None) -> int:
    """The least sum of rows left out and noise, which is `noise` for each row of the contribution.

    `part`: of all rows, those that the count is about. `most`: the largest that may be; None: what people are known to
    have.
    """
    most = max(2, people.known) if most is None else most
    tried = sorted({edge - 1 for edge in row_edges(most) if 1 < edge <= most + 1} | {1, most})
    return min(tried, key=lambda rows: part * people.expected_cut(rows) + rows * noise)


def applied(policy: str, found: Sequence[Suggestion], release: str) -> tuple[str, tuple[Suggestion, ...]]:
    """The policy's text with the suggestions in it, and those for which there was no place.

    A column must stand on one line, as `init` writes it: name = { type = ... }. A contribution that is not named gets a
    line below the unit's. The rest stays as it is.
    """
    lines, left = policy.split("\n"), []
    for one in found:
        place = _place(lines, one)
        if place is None and one.column is None and (unit := _place(lines, replace(one, setting="unit"))) is not None:
            place = unit + 1
            lines.insert(place, "")
        if place is None:
            left.append(one)
            continue
        mark = f"{_MARK} {release[:12]}: {one.why}"
        if (column := _COLUMN.fullmatch(lines[place])) is None:
            lines[place] = f"{one.setting} = {one.value}   {mark}"
        else:
            code, _, before = column.groups(default="")
            kept = before.strip() if before.startswith(_MARK) else ""
            code = re.sub(rf",?\s*{one.setting}\s*=\s*({_LIST}|true|false)", "", code).rstrip()
            lines[place] = f"{code}, {one.setting} = {one.value} }}   {f'{kept}; {one.why}' if kept else mark}"
    return "\n".join(lines), tuple(left)


def _place(lines: Sequence[str], one: Suggestion) -> int | None:
    """The line that a suggestion is about."""
    section = f"tables.{one.table}" + (".columns" if one.column else "")
    inside = False
    for number, line in enumerate(lines):
        if line.lstrip().startswith("["):
            inside = line.strip().split("]")[0].lstrip("[").replace('"', "") == section
        elif inside and (key := _KEY.match(line)) is not None and _named(key.group(1)) == (one.column or one.setting):
            return number if one.column is None or _COLUMN.fullmatch(line) else None
    return None


def _named(key: str) -> str:
    """What a key of TOML says, without its quotes and escapes."""
    try:
        return next(iter(tomllib.loads(f"{key} = 0")))
    except tomllib.TOMLDecodeError:
        return key


def _toml(value: Fraction, kind: Kind) -> str:
    """As a policy writes it."""
    if kind is Kind.DATE:
        return f'"{shown(float(value), kind)}"'
    if kind is Kind.TIMESTAMP:
        return f'"{shown(float(value), kind)} 00:00:00"'
    if kind is Kind.TIME:
        seconds = int(value) // (DAY // 86400)
        return f'"{seconds // 3600:02d}:{seconds // 60 % 60:02d}"'
    return str(int(value)) if value.denominator == 1 else f"{float(value):g}"
