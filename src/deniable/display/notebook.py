"""A sheet in a notebook, dark or light: it takes the page's own colours, and nothing in it can become markup."""

from __future__ import annotations

from html import escape

from deniable.display.sheet import Sheet, SheetColumn

_STYLE = (
    "<style>"
    ".deniable{overflow-x:auto;color:inherit}"
    ".deniable table{border-collapse:collapse;border:0;margin:0 0 .4em;background:none;color:inherit;"
    "font-variant-numeric:tabular-nums}"
    ".deniable caption{text-align:left;caption-side:top;font-weight:600;padding:0 0 .3em;color:inherit}"
    ".deniable th,.deniable td{padding:.2em .9em .2em 0;border:0;background:none;color:inherit;white-space:pre-wrap;"
    "vertical-align:baseline}"
    ".deniable thead th{border-bottom:1px solid rgba(128,128,128,.7);font-weight:600;vertical-align:bottom}"
    ".deniable tbody td{border-bottom:1px solid rgba(128,128,128,.2)}"
    ".deniable tbody tr{background:none}"
    ".deniable .text{text-align:left}.deniable .number{text-align:right;white-space:nowrap}"
    ".deniable thead .number{white-space:normal}"
    ".deniable td.value{padding-right:.35em}.deniable td.error{text-align:left;white-space:nowrap;opacity:.65}"
    ".deniable p{margin:.1em 0;font-size:90%}.deniable p.note,.deniable p.rest{opacity:.75}"
    "</style>"
)


def html_of(sheet: Sheet) -> str:
    """A table with its caption, its price and its notes."""
    caption = f"<caption>{escape(sheet.title)}</caption>" if sheet.title else ""
    head = "".join(map(_heading, sheet.columns))
    rows = zip(*(_cells(column) for column in sheet.columns), strict=True)
    body = "".join(f"<tr>{''.join(row)}</tr>" for row in rows)
    rest = f'<p class="rest">{escape(sheet.rest)}</p>' if sheet.rest else ""
    notes = "".join(f'<p class="note">note: {escape(note)}</p>' for note in sheet.notes)
    price = "".join(f'<p class="price">{escape(line)}</p>' for line in sheet.price.split("\n"))
    return (
        f'{_STYLE}<div class="deniable"><table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
        f"{rest}{price}{notes}</div>"
    )


def _heading(column: SheetColumn) -> str:
    """Above both parts of a column with errors."""
    span = ' colspan="2"' if _has_errors(column) else ""
    return f'<th scope="col" class="{_side(column)}"{span}>{escape(column.name)}</th>'


def _cells(column: SheetColumn) -> list[str]:
    """Values and errors in cells of their own, so that every ± stands below the other."""
    side = _side(column)
    if not _has_errors(column):
        return [f'<td class="{side}">{escape(value)}</td>' for value, _ in column.cells]
    return [
        f'<td class="{side} value">{escape(value)}</td><td class="error">{escape(error)}</td>'
        for value, error in column.cells
    ]


def _has_errors(column: SheetColumn) -> bool:
    return any(error for _, error in column.cells)


def _side(column: SheetColumn) -> str:
    return "number" if column.number else "text"
