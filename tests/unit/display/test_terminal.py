"""A sheet fits its terminal, and loses nothing for it."""

import pytest
from rich.cells import cell_len

from deniable.display import Sheet, SheetColumn
from deniable.display.terminal import text_of

KEYS = SheetColumn.keys("town", ["Bonn", "東京", None])


def noisy(name: str) -> SheetColumn:
    return SheetColumn.noisy(name, [1200, 3, None], [1190, -7, None], [1210, 13, None], whole=True)


def test_text_stands_left_numbers_right_and_every_error_below_the_other():
    assert text_of(Sheet((KEYS, noisy("visits")), "price ε 1"), 60).splitlines() == [
        "town       visits",
        "─────────────────",
        "Bonn   1,200 ± 10",
        "東京       3 ± 10",
        "NULL    NULL",
        "price ε 1",
    ]
    assert text_of(Sheet((KEYS, noisy("a_rather_long_name")), "price ε 1"), 60).splitlines()[0:3:2] == [
        "town   a_rather_long_name",
        "Bonn           1,200 ± 10",
    ]


@pytest.mark.parametrize("width", [20, 30, 60, 120])
def test_a_wide_table_is_drawn_in_pieces_with_the_keys_before_each(width):
    names = [f"column{number}" for number in range(12)]
    text = text_of(Sheet((KEYS, *map(noisy, names)), "price ε 1"), width)
    assert max(map(cell_len, text.splitlines())) <= width
    for name in names:
        assert text.count(name) >= 1
    assert text.count("1,200 ± 10") == 12
    assert text.count("Bonn") == text.count("town") == text.count("東京")


def test_long_text_is_folded_and_never_cut():
    words = "a rather long description of what is counted here " * 3
    text = text_of(Sheet((SheetColumn.texts("what", [words]), SheetColumn.numbers("size", [1])), "price"), 40)
    assert "".join(words.split()) in "".join(text.replace("1", "").split())
    assert "…" not in text


def test_what_is_not_shown_is_counted():
    assert "… and 1 more row\n" in text_of(Sheet((KEYS,), "price", more=1), 60)
    assert "… and 1,234 more rows\n" in text_of(Sheet((KEYS,), "price", more=1234), 60)
    assert "(no rows)" in text_of(Sheet((SheetColumn.keys("town", []),), "price"), 60)
    assert text_of(Sheet((), "price"), 60).endswith("price")


def test_notes_hang_behind_their_mark():
    note = "one two three four five six seven eight nine ten"
    lines = text_of(Sheet((KEYS,), "price", (note,)), 30).splitlines()
    assert lines[-2].startswith("note: one")
    assert lines[-1].startswith("      ")


@pytest.mark.parametrize("width", [33, 37, 41])
def test_notes_are_whole_where_signs_are_wide(width):
    """Wrapped lines may be a cell too long; what did not fit was cut off."""
    note = "at most 12.0% of the values of straße 📏 lie outside its bounds, and count as a bound"
    text = text_of(Sheet((SheetColumn.keys("a", [1]),), "price", (f"profile: {note}",)), width)
    assert "".join(text.partition("profile:")[2].split()) == "".join(note.split())
