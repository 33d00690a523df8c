"""Suggestions for the policy, from the private profile alone: no look at the data, and no cost."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from deniable.core.algebra.expression import Kind
from deniable.core.calendar import DAY
from deniable.releases.profile.cells import row_edges
from deniable.releases.profile.people import RowsPerPerson
from deniable.releases.profile.profile import Profile, shown

_BEYOND = 0.005
"""Of the values, about so many may lie beyond each bound."""


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


def suggestions(profile: Profile, epsilon: Fraction) -> tuple[Suggestion, ...]:
    """Bounds at private quantiles, as friendly numbers, and the contribution with the least expected total error.

    `epsilon` is what a typical question spends: the more, the less noise, and the larger the contribution.
    """
    found = []
    for table in profile.tables.values():
        if table.people is not None:
            best = best_contribution(table.people, epsilon)
            cut = table.people.cut(best)
            why = f"leaves out {cut.low:.0%} to {cut.high:.0%} of the rows; best for a count at ε {float(epsilon):g}"
            found.append(Suggestion(table.name, None, "contribution", str(best), why))
        for name, column in table.columns.items():
            bounds = column.bounds(_BEYOND)
            if bounds is None:
                continue
            outside = column.outside(*bounds)
            value = f"[{_toml(bounds[0], column.kind)}, {_toml(bounds[1], column.kind)}]"
            why = f"about {outside.value:.1%} of the values lie outside (at most {outside.high:.1%})"
            found.append(Suggestion(table.name, name, "bounds", value, why))
    return tuple(found)


def best_contribution(people: RowsPerPerson, epsilon: Fraction) -> int:
    """The least sum of rows left out and mean noise of a count, which is contribution / epsilon for Laplace noise."""
    most = max(2, people.known)
    tried = sorted({edge - 1 for edge in row_edges(most) if 1 < edge <= most + 1} | {1})
    return min(tried, key=lambda rows: people.expected_cut(rows) + rows / float(epsilon))


def applied(policy: str, found: Sequence[Suggestion], release: str) -> tuple[str, tuple[Suggestion, ...]]:
    """The policy's text with the suggestions in it, and those for which there was no place.

    A column must stand on one line, as `init` writes it: name = { type = ... }. The rest stays as it is.
    """
    lines, left = policy.split("\n"), []
    for one in found:
        place = _place(lines, one)
        if place is None:
            left.append(one)
            continue
        mark = f"# from the private profile {release[:12]}: {one.why}"
        if one.column is None:
            lines[place] = f"{one.setting} = {one.value}   {mark}"
        else:
            code, _, _ = lines[place].partition("}")
            code = re.sub(rf",?\s*{one.setting}\s*=\s*\[[^\]]*\]", "", code).rstrip()
            lines[place] = f"{code}, {one.setting} = {one.value} }}   {mark}"
    return "\n".join(lines), tuple(left)


def _place(lines: Sequence[str], one: Suggestion) -> int | None:
    """The line that a suggestion is about."""
    section = f"tables.{one.table}" + (".columns" if one.column else "")
    inside = False
    name = re.escape(one.column) if one.column else one.setting
    for number, line in enumerate(lines):
        if line.lstrip().startswith("["):
            inside = line.strip().split("]")[0].lstrip("[").replace('"', "") == section
        elif inside and re.match(rf'\s*"?{name}"?\s*=', line):
            simple = one.column is None or (line.count("{") == 1 and line.count("}") == 1)
            return number if simple else None
    return None


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
