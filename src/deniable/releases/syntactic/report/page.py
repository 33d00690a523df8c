"""The report as a page, in a terminal, in a notebook. One HTML file that needs nothing else."""

from __future__ import annotations

import io
import shutil
from html import escape
from typing import TYPE_CHECKING

from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from deniable.releases.syntactic.report.pictures import class_sizes, columns_before_and_after

if TYPE_CHECKING:
    from deniable.releases.syntactic.report.anonymized_table import AnonymizedTable
    from deniable.releases.syntactic.report.report import Report
    from deniable.releases.syntactic.report.sections import ReportSection

_STYLE = """
.anonymized { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; color: #1d2433; background: #fff; }
.anonymized h1 { font-size: 1.5rem; } .anonymized h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
.anonymized table { border-collapse: collapse; font-variant-numeric: tabular-nums; width: 100%; }
.anonymized td, .anonymized th { padding: 3px 10px; text-align: left; vertical-align: top; }
.anonymized td, .anonymized th { border-bottom: 1px solid #e3e6ec; }
.anonymized td.number, .anonymized th.number { text-align: right; } .anonymized .scroll { overflow-x: auto; }
.anonymized .warning h2 { color: #a11; } .anonymized p.note { color: #5a6375; font-size: 90%; margin: .3rem 0; }
.anonymized p.verdict { border-left: 4px solid #2a7; padding: .3rem 1rem; background: #f2faf6; }
.anonymized p.verdict.careful { border-color: #a11; background: #fdf3f3; }
.anonymized svg { max-width: 100%; height: auto; } .anonymized .sign td { height: 3rem; }
.anonymized .beside { display: flex; flex-wrap: wrap; gap: 1rem; }
@media print { .anonymized section { break-inside: avoid; } }
"""


def page(release: AnonymizedTable) -> str:
    """A whole HTML document."""
    return (
        "<!doctype html>\n<html lang='en'><head><meta charset='utf-8'><title>Report of a release</title>"
        "<meta name='viewport' content='width=device-width, initial-scale=1'>"
        "<style>body { margin: 2rem auto; max-width: 60rem; padding: 0 1rem; }</style></head>"
        f"<body>{body(release)}{_signature()}</body></html>\n"
    )


def body(release: AnonymizedTable) -> str:
    """The part between the tags, for a notebook."""
    report = release.report
    demands = release.demands
    careful = any(exposure.certain[0] for exposure in report.exposures)
    asked = f"{', '.join(demands.words())}; at most {100 * float(demands.suppression):.3g}% of the rows suppressed"
    return "".join(
        (
            f"<style>{_STYLE}</style><article class='anonymized'><h1>Report of a release</h1>",
            f"<p>{release.cells.total:,} rows, method {escape(repr(release.method))}. Asked for: {escape(asked)}.</p>",
            f"<p class='verdict{' careful' if careful else ''}'>{escape(report.verdict)}</p>",
            *map(_section, report.sections),
            "<section><h2>Before and after</h2>",
            class_sizes(release),
            *columns_before_and_after(release),
            "</section></article>",
        )
    )


def rich_report(report: Report) -> Group:
    """Tables for the terminal."""
    parts: list[Table | Text] = [Text(report.verdict, style="bold")]
    for section in report.sections:
        warning = section.title.startswith("NOT PROMISED")
        table = Table(
            title=section.title,
            title_justify="left",
            title_style="bold red" if warning else "bold",
            header_style="bold",
        )
        for place, header in enumerate(section.headers):
            table.add_column(header, overflow="fold", justify="right" if section.counts(place) else "left")
        for row in section.rows:
            table.add_row(*map(Text, row))
        parts += [table, *(Text(note, style="dim") for note in section.notes)]
    return Group(*parts)


def plain_report(report: Report) -> str:
    """The report as text."""
    text = io.StringIO()
    width = shutil.get_terminal_size((110, 24)).columns
    Console(file=text, width=width, color_system=None, force_jupyter=False).print(rich_report(report))
    return text.getvalue()


def _section(section: ReportSection) -> str:
    warning = section.title.startswith("NOT PROMISED")
    sides = [" class='number'" if section.counts(place) else "" for place in range(len(section.headers))]
    head = "".join(f"<th{side}>{escape(header)}</th>" for side, header in zip(sides, section.headers, strict=True))
    rows = "".join(
        f"<tr>{''.join(f'<td{side}>{escape(cell)}</td>' for side, cell in zip(sides, row, strict=True))}</tr>"
        for row in section.rows
    )
    notes = "".join(f"<p class='note'>{escape(note)}</p>" for note in section.notes)
    kind = " class='warning'" if warning else ""
    table = f"<div class='scroll'><table><tr>{head}</tr>{rows}</table></div>"
    return f"<section{kind}><h2>{escape(section.title)}</h2>{table}{notes}</section>"


def _signature() -> str:
    return (
        "<article class='anonymized'><section class='sign'><h2>Decision</h2><table>"
        "<tr><td>released / refused</td><td></td></tr><tr><td>by, on</td><td></td></tr></table></section></article>"
    )
