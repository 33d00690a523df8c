"""What a log may know of a statement: its shape, and no constant of it."""

import pytest

from deniable.doors.postgres.lexing import shape


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT 'unmistakable'",
        "SELECT E'unmistakable\\'more'",
        "SELECT N'unmistakable'",
        'SELECT a FROM b WHERE c = "unmistakable"',
        "SELECT $$unmistakable$$, $a$unmistakable$a$",
        "SELECT 'it''s unmistakable' -- unmistakable",
        "SELECT 1 /* unmistakable */ WHERE a = 'unmistakable",
    ],
)
def test_no_constant_and_no_comment_is_in_it(statement):
    assert "unmistakable" not in shape(statement)
    assert shape(statement).startswith("SELECT")


def test_numbers_are_not_in_it():
    assert shape("SELECT a1 FROM t2 WHERE b > 4711 AND c = 47.11e3") == "SELECT a1 FROM t2 WHERE b > ? AND c = ?"
