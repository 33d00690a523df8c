"""Days that are not written as 2025-12-31."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime
from pathlib import Path

import pytest

from deniable.core.algebra.expression import Kind
from deniable.files.days import as_iso, is_shown, shown_by
from deniable.files.layout import Layout
from deniable.files.scan import reading
from deniable.files.sniff import sniffed
from deniable.files.source import DataFile

DAY, TIME = date(2025, 4, 3), datetime(2025, 4, 3, 1, 2)


@pytest.mark.parametrize(
    ("example", "day", "moment", "others"),
    [
        ("31.12.2025", "3.4.2025", "03.04.2025 01:02", ("3/4/2025", "31.12.25", "30.2.2025", "3.4.20255", "3.4.2025x")),
        ("12/31/2025", " 4/3/2025", "04/03/2025 01:02", ("13/4/2025", "3.4.2025", "4/3/25", "4/3", "/4/3/2025")),
        ("31-12-2025", "03-04-2025", "3-4-2025 01:02", ("3-13-2025", "20250403", "x", "?")),
        ("2025/12/31", "2025/4/3", "2025/04/03 01:02", ("2025/13/4", "3/4/2025", "25/4/3")),
        ("20251231", "20250403", "20250403 01:02", ("2025043", "202504031", "20251304")),
    ],
)
def test_days_are_read_as_the_example_says_or_not_at_all(
    tmp_path: Path, example: str, day: str, moment: str, others: tuple[str, ...]
) -> None:
    cells = [day, "2025-04-03", *others, ""]
    rows = "\n".join(f"{cell};{moment};{cell}" for cell in cells)
    (tmp_path / "t.csv").write_text(f"d;m;t\n{rows}\n")
    declared = {"d": Kind.DATE, "m": Kind.TIMESTAMP, "t": Kind.TEXT}
    file = replace(DataFile.named(tmp_path / "t.csv"), layout=Layout(dates=example), declared=declared)
    with reading(file) as connection:
        found = connection.execute("SELECT TRY_CAST(d AS DATE), TRY_CAST(m AS TIMESTAMP), t FROM data").fetchall()
    assert [found_day for found_day, _, _ in found] == [DAY, DAY, *(None for _ in others), None]
    assert {found_moment for _, found_moment, _ in found} == {TIME}
    assert [text for _, _, text in found] == [*cells[:-1], None]


def test_an_example_is_one_day_that_cannot_be_mistaken() -> None:
    bad = ("31.12.25", "1.12.2025", "2025-31-12", "31.12-2025", "12.12.2025", "31.12.2025 ", "", "%d.%m.%Y", "2025")
    assert [example for example in bad if is_shown(example)] == []
    with pytest.raises(ValueError, match=r"31\.12\.25"):
        as_iso("d", "31.12.25")


@pytest.mark.parametrize(
    ("cells", "example"),
    [
        (["3.4.2025", "7.4.2025"], "31.12.2025"),
        (["3.4.2025", "7.14.2025"], "12.31.2025"),
        (["3/4/2025", "14/4/2025 10:30"], "31/12/2025"),
        (["3/4/2025", "3/14/2025"], "12/31/2025"),
        (["3/4/2025", "7/4/2025"], None),
        (["14/4/2025", "3/14/2025"], None),
        (["3.4.2025", "3/14/2025"], None),
        (["3.4.2025", "n/a"], None),
        (["1.2.3", "14.14.14"], None),
        ([], None),
    ],
)
def test_a_draft_finds_the_order_where_cells_tell_it(cells: list[str], example: str | None) -> None:
    assert shown_by(cells) == example


def test_a_draft_says_how_days_are_written(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("Tag;n\n31.1.2025;1\n\n1.2.2025;2\n")
    assert sniffed(tmp_path / "t.csv") == Layout(delimiter=";", dates="31.12.2025")
    (tmp_path / "t.csv").write_text("31.1.2025;1\n1.2.2025;2\n")
    assert sniffed(tmp_path / "t.csv").dates == "31.12.2025"
