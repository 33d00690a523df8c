"""Doubles that overflow or vanish are infinite or zero, to the last bit as IEEE 754 has them."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator
from random import Random

import numpy as np
import psycopg
import pyarrow as pa
import pytest

from deniable.engines.postgres import doubles
from tests.support.moved import filled
from tests.support.postgres import Server

ENDS = [5e-324, 1.7976931348623157e308, 2.2250738585072014e-308, 0.5, 1.5, -1.0, 1.0, 0.0, -0.0, math.inf, -math.inf]
ENDS += [2.0**1023, 1e-162, 1.3407807929942596e154, 1.3407807929942597e154, 2.0**-1022, 2.0**-538, 2.0**-537]


def drawn(chance: Random) -> float:
    """Any bits; a power of two; an end; something ordinary."""
    kind = chance.random()
    if kind < 0.5:
        (value,) = struct.unpack("d", struct.pack("Q", chance.getrandbits(64)))
        return 0.1 if math.isnan(value) else float(value)
    if kind < 0.7:
        return chance.choice([1, -1]) * 2.0 ** chance.randint(-1074, 1023)
    return chance.choice(ENDS) if kind < 0.85 else chance.choice([1, -1]) * 10.0 ** chance.uniform(-20, 20)


CHANCE = Random(3)  # noqa: S311 - for a search that can be repeated
A, B = (np.array([drawn(CHANCE) for _ in range(20_000)]) for _ in range(2))


@pytest.fixture(scope="module")
def connection(postgres: Server) -> Iterator[psycopg.Connection]:
    with postgres.database() as url:
        filled(url, "pairs", pa.table({"n": np.arange(len(A)), "a": A, "b": B}))
        with psycopg.connect(url, autocommit=True) as opened:
            yield opened


def found(connection: psycopg.Connection, sql: str) -> np.ndarray:
    rows = connection.execute(f"SELECT {sql} FROM pairs ORDER BY n").fetchall()
    return np.array([np.nan if value is None else value for (value,) in rows])


def test_each_step_is_ieees(connection: psycopg.Connection) -> None:
    with np.errstate(all="ignore"):
        wanted = {
            doubles.added("+", "a", "b"): A + B,
            doubles.added("-", "a", "b"): A - B,
            doubles.multiplied("a", "b"): A * B,
            doubles.divided("a", "NULLIF(b, 0)"): np.where(B == 0, np.nan, A / B),
        }
    for sql, expected in wanted.items():
        np.testing.assert_array_equal(found(connection, sql), expected)


def test_powers_and_logarithms_are_total_and_close(connection: psycopg.Connection) -> None:
    with np.errstate(all="ignore"):
        wanted = {
            doubles.exponential("a"): np.exp(A),
            doubles.raised("a", "b"): np.power(A, B),
            doubles.binary_logarithm("CASE WHEN a > 0 THEN a END"): np.log2(np.where(A > 0, A, np.nan)),
        }
    for sql, expected in wanted.items():
        np.testing.assert_allclose(found(connection, sql), expected, rtol=1e-12, atol=1e-322)


@pytest.mark.parametrize("constant", ["1e-300", "5e-324", "1.7e308", "1e200"])
def test_no_arm_is_computed_before_it_is_taken(connection: psycopg.Connection, constant: str) -> None:
    """PostgreSQL computes constants when it plans, in arms that are never taken, too."""
    fixed = f"'{constant}'::float8"
    for sql in (
        doubles.multiplied(fixed, "b"),
        doubles.divided(fixed, "NULLIF(b, 0)"),
        doubles.added("+", fixed, "b"),
        doubles.raised(fixed, "b"),
        doubles.multiplied(fixed, fixed),
        doubles.exponential(fixed),
    ):
        found(connection, sql)


def test_decimal_numbers_of_any_size(connection: psycopg.Connection) -> None:
    numbers = ["1e400", "-1e400", "1e-400", "0.1", "1.7976931348623157e308", "Infinity", "3e-324", "2e-324", "0"]
    for number in numbers:
        spelled = doubles.from_numeric(f"'{number}'::numeric")
        (value,) = connection.execute(f"SELECT {spelled}".encode()).fetchone()
        assert value == float(number)
