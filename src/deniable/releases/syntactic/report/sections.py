"""The report, section by section."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from deniable.core.shown import printable
from deniable.releases.syntactic.hierarchies.values import STAR
from deniable.releases.syntactic.search.grouping import IntArray

if TYPE_CHECKING:
    from deniable.releases.syntactic.report.report import Report

LOSS_WORDS = {
    "ncp": ("normalised certainty penalty", "share of its column that a value covers; 0 is as it was, 1 is '*'"),
    "entropy": ("non-uniform entropy", "share of the information about quasi-identifiers that is lost"),
    "discernibility": ("discernibility", "sum over rows of the rows that each cannot be told from"),
    "class size": ("average class size", "rows over classes"),
}


_SIZES: dict[str, Callable[[IntArray], float]] = {
    "smallest class": np.min,
    "median class": np.median,
    "largest class": np.max,
}


@dataclass(frozen=True, slots=True)
class ReportSection:
    """A table with a title, and what has to be said about it."""

    title: str
    headers: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = ()

    def __post_init__(self) -> None:
        """Columns and values come from the table: what is not visible in them is spelled out."""
        object.__setattr__(self, "rows", [tuple(map(printable, row)) for row in self.rows])
        object.__setattr__(self, "notes", tuple(map(printable, self.notes)))

    def counts(self, place: int) -> bool:
        """Whether a column holds numbers, which stand to the right; words stand to the left."""
        return place > 0 and all(row[place][:1].isdigit() or row[place] == "none" for row in self.rows)


def sections(report: Report) -> list[ReportSection]:
    """In the order of reading."""
    return [
        _models(report),
        _classes(report),
        _risks(report),
        _losses(report),
        _columns(report),
        *([_attacks(report)] if report.exposures else []),
        *([_composition(report)] if report.compositions else []),
        _left_out(report),
    ]


def _models(report: Report) -> ReportSection:
    """Each model with its verdict."""
    rows = [
        (finding.model, "holds" if finding.holds else "FAILS", f"{finding.reached:.4g}")
        for finding in report.release.checked.findings
    ]
    notes = ["Found by SQL on the published table, with no code of the search. The worst class counts."]
    return ReportSection("What holds", ("model", "verdict", "worst class has"), rows, notes)


def _classes(report: Report) -> ReportSection:
    """How large classes are; suppressed rows are in none."""
    before, after = report.release.cells.sizes, report.release.sizes
    rows = [
        ("classes", f"{len(before):,}", f"{len(after):,}"),
        *((name, f"{of(before):,.0f}", f"{of(after):,.0f}" if len(after) else "none") for name, of in _SIZES.items()),
        ("rows that are suppressed", "0", f"{report.release.checked.suppressed:,} of {report.release.cells.total:,}"),
    ]
    return ReportSection("Classes", ("", "before", "after"), rows)


def _risks(report: Report) -> ReportSection:
    """Three attackers, before and after."""
    before, after = report.before, report.after
    rows = [
        (name, _percent(getattr(before, key)), _percent(getattr(after, key)))
        for name, key in (
            ("prosecutor: knows that the target is in the table", "prosecutor"),
            ("journalist: wants to find anybody at all", "journalist"),
            ("marketer: wants to find many", "marketer"),
        )
    ]
    rows.append(("rows that look like no other", f"{before.alone:,}", f"{after.alone:,}"))
    population = report.release.population
    note = (
        "The table counts as the whole population: journalist and prosecutor are the same."
        if population is None
        else f"The table counts as a random sample of {population:,} people."
    )
    notes = [note, "Suppressed rows look alike, and count as one class."]
    return ReportSection("How likely somebody is found", ("attacker", "before", "after"), rows, notes)


def _losses(report: Report) -> ReportSection:
    """By every metric."""
    rows = [(LOSS_WORDS[name][0], _number(value), LOSS_WORDS[name][1]) for name, value in report.losses.items()]
    best = report.release.optimum
    notes = []
    if best is not None and report.release.method == "optimal":
        size = int(np.prod([column.height for column in report.release.cells.columns]))
        notes.append(
            f"No full-domain release has less {LOSS_WORDS[report.release.metric][0]}: of {size:,} nodes "
            f"{best.judged:,} were judged, and the others ruled out by bounds."
        )
    return ReportSection("What it cost", ("loss", "value", "meaning"), rows, notes)


def _columns(report: Report) -> ReportSection:
    """Quasi-identifier by quasi-identifier."""
    cells, recoding = report.release.cells, report.release.recoding
    rows = []
    for place, column in enumerate(cells.columns):
        label = recoding.codes[place][recoding.of]
        hidden = recoding.suppressed[recoding.of] | (np.array(recoding.labels[place], object) == STAR)[label]
        changed = hidden | (recoding.spans[place][label] > 0)
        mean = np.sum(cells.sizes * np.where(recoding.suppressed[recoding.of], 1, recoding.spans[place][label]))
        rows.append(
            (
                column.name,
                report.release.level_of(place),
                f"{len(column.values):,} to {len(np.unique(label[~recoding.suppressed[recoding.of]])):,}",
                f"{cells.sizes[changed].sum() / cells.total:.1%}",
                f"{cells.sizes[hidden].sum() / cells.total:.1%}",
                f"{mean / cells.total:.3f}",
            )
        )
    notes = []
    if report.release.kept:
        notes.append(f"Published as they are: {', '.join(report.release.kept)}. Nothing here protects them.")
    if report.release.dropped:
        notes.append(f"Left out: {', '.join(report.release.dropped)}.")
    headers = ("quasi-identifier", "level", "values", "rows made coarser", "rows with '*'", "NCP")
    return ReportSection("What was made coarser", headers, rows, notes)


def _attacks(report: Report) -> ReportSection:
    """What the sensitive values of the classes say."""
    rows, total = [], report.release.cells.total
    for exposure in report.exposures:
        name = exposure.column
        inside, outside = (f"{share:.1%}" for share in exposure.skewed_share)
        skew = f"{exposure.skewed!r} is {exposure.skew:.3g} times as frequent in a class: {inside}, not {outside}"
        rows += [
            ("homogeneity", name, f"{_of(exposure.certain[0], total)} have a certain value"),
            ("homogeneity", name, f"{_of(exposure.confident, total)} can be guessed with 90% confidence"),
            ("homogeneity", name, f"guessing by class is right {exposure.guess:.1%}; blindly {exposure.blind:.1%}"),
            ("background knowledge", name, f"rule out one value: {_of(exposure.certain[1], total)} are certain"),
            ("background knowledge", name, f"rule out two values: {_of(exposure.certain[2], total)} are certain"),
            ("skewness", name, skew),
        ]
    notes = ["Measured on this release, for whoever knows the quasi-identifiers of a person in it."]
    return ReportSection("NOT PROMISED: what classes give away", ("attack", "about", "found"), rows, notes)


def _composition(report: Report) -> ReportSection:
    """This release together with another."""
    rows = [
        (
            found.column,
            f"{found.alone:,} to {found.together:,}",
            f"{found.open_alone:.2f} to {found.open_together:.2f}",
        )
        for found in report.compositions
    ]
    other = "the full-domain optimum" if report.release.method == "mondrian" else "Mondrian"
    notes = [
        f"The second release is of the same table, under the same models, by {other}.",
        "Nobody has to break either: what a person can have must be in both classes. Publish a table once.",
    ]
    headers = (
        "about",
        "rows with a certain value: alone, then both",
        "values left open, on average: alone, then both",
    )
    return ReportSection("NOT PROMISED: a second release of the same people", headers, rows, notes)


def _left_out(report: Report) -> ReportSection:
    """What is not measured in numbers of rows."""
    suppressed = report.release.checked.suppressed
    rows = [
        (
            "suppressed rows",
            f"whoever fits no class is one of {suppressed:,} suppressed rows"
            if suppressed
            else "none: everybody is in a class",
        ),
        *(
            [("a second release", "not measured: the whole table does not meet the models without suppression")]
            if report.exposures and not report.compositions
            else []
        ),
        (
            "more knowledge",
            "whoever knows more of a person than the quasi-identifiers is not held back by any model",
        ),
        ("a sensitive NULL", "counts as a value of its own, and so as diversity"),
        ("differential privacy", "none: k, l and t are properties of this table, not of how it was made"),
    ]
    return ReportSection("NOT PROMISED: the rest", ("what", "why"), rows)


def _number(value: float) -> str:
    """Three digits, or all that stand before the point."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"  # noqa: PLR2004 - three digits


def _percent(share: float) -> str:
    return f"{_number(100 * share)}%"


def _of(rows: int, total: int) -> str:
    return f"{rows:,} rows ({rows / total:.2%})"
