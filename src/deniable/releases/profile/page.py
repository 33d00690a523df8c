"""The profile as one page: small multiples, without scripts, fonts or network."""

from __future__ import annotations

from html import escape
from itertools import pairwise

import numpy as np

from deniable.core.shown import percent
from deniable.releases.profile.histogram import ValueHistogram
from deniable.releases.profile.measured import FloatArray
from deniable.releases.profile.people import RowsPerPerson
from deniable.releases.profile.profile import CONTRIBUTIONS, ListedValues, Profile, TableProfile, around, shown

_STYLE = """
.profile { font: 15px/1.5 system-ui, sans-serif; color: #1f2933; max-width: 76rem; margin: 0 auto; padding: 1rem; }
.profile .charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(19rem, 1fr)); gap: 1rem; }
.profile figure { margin: 0; background: #fff; border: 1px solid #d9e0e7; border-radius: 8px; padding: .6rem; }
.profile figcaption { font-weight: 600; font-size: .92rem; } .profile small { color: #5b6773; font-weight: 400; }
.profile svg text { font: 11px system-ui, sans-serif; fill: #1f2933; }
"""
_WIDE, _HIGH = 280, 90
_BAR, _LINE = "#7fa5cc", "#1f2933"


def page(profile: Profile) -> str:
    """All of it as HTML."""
    head = '<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Private profile</title>'
    return f'<!doctype html><html lang="en"><head>{head}</head><body>{body(profile)}</body></html>'


def body(profile: Profile) -> str:
    """What stands on the page."""
    level = percent(profile.confidence)
    notes = "".join(f"<li>{escape(note)}</li>" for note in profile.notes)
    tables = "".join(_table(table) for table in profile.tables.values())
    return (
        f'<div class="profile"><style>{_STYLE}</style><h1>Private profile</h1>'
        f"<p>Paid for with {escape(str(profile.loss))}; every number is noisy, and intervals are at {level}. "
        "In the pictures of columns each person weighs one row, however many they have; lines are error bars.</p>"
        f"<ul>{notes}</ul>{tables}</div>"
    )


def _table(table: TableProfile) -> str:
    people = "" if table.people is None else _people(table.people)
    columns = "".join(_column(column) for column in table.columns.values())
    listed = "".join(_listed(one) for one in table.listed.values())
    return f'<h2>{escape(table.name)}</h2><div class="charts">{people}{columns}{listed}</div>'


def _people(people: RowsPerPerson) -> str:
    """How many people have how many rows, and what a few contributions leave out."""
    pairs = [(start, end - 1) for start, end in pairwise(people.edges)]
    labels = [f"{start:,}{f' to {end:,}' if end > start else ''} row{'s' * (end > 1)}" for start, end in pairs]
    tried = [rows for rows in CONTRIBUTIONS if rows <= people.known]
    cuts = "; ".join(f"{rows:,}: {around(people.cut(rows), whole=False)}" for rows in tried)
    return _figure(
        "rows per person", _bars(people.heights, people.ends, labels), f"contribution: rows left out. {cuts}"
    )


def _column(column: ValueHistogram) -> str:
    """Its cells, from the first to the last that have anything in them."""
    ends = [shown(float(edge), column.kind) for edge in column.edges]
    labels = [f"below {ends[0]}", *(f"{a} to {b}" for a, b in pairwise(ends)), f"from {ends[-1]} on"]
    value, low, high = column.quantile(0.5)
    words = [shown(number, column.kind) for number in (value, low, high)]
    said = f"median about {words[0]} ({words[1]} to {words[2]}); missing {around(column.missing, whole=False)}"
    return _figure(column.name, _bars(column.heights, column.ends, labels), said)


def _listed(one: ListedValues) -> str:
    labels, counts = [*one.values, "(other)", "(missing)"], np.array(one.noisy)
    ends = np.maximum(counts - one.off, 0), np.maximum(counts + one.off, 0)
    return _figure(one.name, _bars(np.maximum(counts, 0), ends, labels), f"± {one.off:,.0f} persons each")


def _figure(title: str, picture: str, said: str) -> str:
    return f"<figure><figcaption>{escape(title)}</figcaption>{picture}<small>{escape(said)}</small></figure>"


def _bars(heights: FloatArray, ends: tuple[FloatArray, FloatArray], labels: list[str]) -> str:
    """Bars side by side, each with its words and its error bar; empty cells on both sides are left out."""
    clear = np.flatnonzero(heights > 0.005 * max(float(heights.max(initial=0)), 1e-9))
    first, last = (int(clear[0]), int(clear[-1]) + 1) if clear.size else (0, len(heights))
    top = max(float(np.maximum(heights, ends[1])[first:last].max(initial=0)), 1e-9)
    width = _WIDE / max(1, last - first)
    bars = "".join(
        _bar((place - first) * width, width, [one / top for one in (heights[place], ends[0][place], ends[1][place])])
        + f"<title>{escape(labels[place])}: {ends[0][place]:,.0f} to {ends[1][place]:,.0f}</title></g>"
        for place in range(first, last)
    )
    names = (labels[first], labels[last - 1]) if last > first else ("", "")
    axis = (
        f'<text x="0" y="{_HIGH + 14}">{escape(names[0])}</text>'
        f'<text x="{_WIDE}" y="{_HIGH + 28}" text-anchor="end">{escape(names[1])}</text>'
    )
    return f'<svg viewBox="0 0 {_WIDE} {_HIGH + 32}" width="100%" role="img">{bars}{axis}</svg>'


def _bar(left: float, width: float, shares: list[float]) -> str:
    """One bar and the line of its interval, as parts of the highest."""
    height, low, high = (_HIGH * share for share in shares)
    line = left + width / 2
    return (
        f'<g><rect x="{left:.1f}" y="{_HIGH - height:.1f}" width="{max(width - 0.5, 0.5):.1f}" '
        f'height="{height:.1f}" fill="{_BAR}"/>'
        f'<line x1="{line:.1f}" x2="{line:.1f}" y1="{_HIGH - high:.1f}" y2="{_HIGH - low:.1f}" stroke="{_LINE}"/>'
    )
