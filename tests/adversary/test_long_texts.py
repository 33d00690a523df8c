"""Long texts of the kind that a careless reader reads again from each place in it: here, each is read once.

Nobody looks at a clock: read again and again, each of these would take minutes, or days. And nothing else would happen
meanwhile, for anybody: a pattern is matched to its end before another thread is let in.
"""

from __future__ import annotations

import struct

import pytest

from deniable.core.errors import Refused
from deniable.doors.console.mending import mended
from deniable.doors.console.written import WrittenQuestion
from deniable.doors.postgres.commands import understood
from deniable.doors.postgres.errors import PgError
from deniable.doors.postgres.lexing import Statement
from deniable.doors.postgres.parameters import count
from deniable.doors.postgres.types import from_wire
from deniable.service.hints import hinted

LONG = 1 << 20
"""As long as a message of PostgreSQL's protocol may be."""


@pytest.mark.parametrize("piece", ["/*+", "/* ", "'", '"', "--", "/*+ epsilon"])
def test_hints_that_are_never_closed(piece):
    text = piece * (LONG // len(piece))
    assert hinted(text) == (text, {})


def test_a_hint_behind_what_looks_like_many():
    text = f"SELECT '{'/*+ ' * (LONG // 4)}', /*+ epsilon=0.5{' ' * LONG}*/ 1"
    assert hinted(text)[1] == {"epsilon": "0.5"}


def test_a_hint_of_very_many_parts():
    parts = "rho=1 " * (LONG // 6)
    assert hinted(f"/*+ {parts}*/") == (" " * (len(parts) + 6), {"rho": "1"})


@pytest.mark.parametrize(
    "text", ["FETCH {} !", "FETCH FORWARD {} 1 {} !", 'FETCH "{}', "MOVE {1} !", "FETCH {9} FROM c d"]
)
def test_fetch(text):
    written = text.replace("{1}", "1" * LONG).replace("{9}", "9" * LONG).replace("{}", " " * LONG)
    with pytest.raises(PgError):
        understood(Statement(written, 0))


def test_parameters_of_very_many_digits():
    assert count(f"SELECT $1, ${'0' * LONG}2") == 2
    for digits in ("1" * LONG, "10000", "1001"):
        with pytest.raises(PgError, match="1000"):
            count(f"SELECT ${digits}")


def test_numbers_of_very_many_digits():
    words = 32_767
    raw = struct.pack("!hhHh", words, words - 1, 0, 0) + struct.pack(f"!{words}H", *[9_999] * words)
    with pytest.raises(PgError):
        from_wire(raw, 1700, binary=True)


@pytest.mark.parametrize(("word", "sign", "said"), [(1234, 0, "1234.0"), (1234, 0x4000, "-1234.0"), (0, 0, "0.0")])
def test_numbers_of_few(word, sign, said):
    assert str(from_wire(struct.pack("!hhHhH", 1, 0, sign, 1, word), 1700, binary=True)) == said


def test_a_digit_of_a_number_has_four_digits():
    with pytest.raises(PgError):
        from_wire(struct.pack("!hhHhH", 1, 0, 0, 0, 10_000), 1700, binary=True)


async def _priced(_written: WrittenQuestion) -> None:
    """Everything has a price."""


@pytest.mark.parametrize(
    "hint", ["Did you mean 'age'?", "Write GROUP BY age, or put it into an aggregate such as MIN(age)."]
)
def test_what_a_hint_suggests_for_a_long_question(hint):
    sql = f"SELECT agee('{'(' * (LONG // 2)}') FROM visits{' ' * (LONG // 2)}"
    refusal = Refused("not-grouped", "It is not grouped.", hint, (7, 14), sql)
    work = mended(WrittenQuestion(sql, amount="1"), refusal, "", _priced)
    with pytest.raises(StopIteration) as done:
        work.send(None)
    assert done.value.value
