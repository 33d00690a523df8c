"""Questions that once told one person from nobody, or were paid for and not answered, or were answered wrongly."""

import time
from contextlib import suppress
from fractions import Fraction

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deniable.core.errors import Refused
from deniable.curator import Curator
from deniable.curator.factory import engine_of
from deniable.ledger import Ledger
from deniable.planner import Spend, bind, parse, price
from deniable.policy import Policy
from tests.support.curators import silence
from tests.support.neighbours import SOMEONE, house, outcome, pair, people, row, rules

THEM = f"person = {SOMEONE}"
BIG = f"CASE WHEN {THEM} THEN 100000 ELSE 1 END"
FOUR_BYTES = "whole constants are 32-bit integers in the engine, and overflow there"
NO_NULL = "LEAST and GREATEST pass over NULL, so the other argument's bound does not hold"
SIGN = "the range of // forgets that a negative divisor turns the sign"
DOUBLES = "ranges are computed exactly and rows in doubles, which can land on the other side of a whole number"


@pytest.fixture(scope="module", params=[None, 3], ids=["rows", "people"])
def neighbours(request, tmp_path_factory):
    found = pair(tmp_path_factory.mktemp("leaks"), row(SOMEONE, cost=0.0), contribution=request.param)
    yield found
    found.close()


LEAKS = {
    f"{BIG} * {BIG}": FOUR_BYTES,
    f"{BIG} * 2000000000": FOUR_BYTES,
    f"ABS(CASE WHEN {THEM} THEN -2147483648 ELSE 1 END)": FOUR_BYTES,
    f"(CASE WHEN {THEM} THEN -2147483648 ELSE 1 END) // -1": FOUR_BYTES,
    f"ROUND(CASE WHEN {THEM} THEN 2147483647 ELSE 1 END, -1)": FOUR_BYTES,
    f"1 // GREATEST(0, CASE WHEN {THEM} THEN NULL ELSE 1 END)": NO_NULL,
    f"1 % GREATEST(0, CASE WHEN {THEM} THEN NULL ELSE 1 END)": NO_NULL,
    f"POW(LEAST(9007199254740992, CASE WHEN {THEM} THEN NULL ELSE 0 END) * LEAST(9007199254740992, "
    f"CASE WHEN {THEM} THEN NULL ELSE 0 END), 1)": NO_NULL,
    f"1 // (CASE WHEN {THEM} THEN 1 ELSE 0 END // -1 + 1)": SIGN,
    f"1 // (FLOOR((CASE WHEN {THEM} THEN 0.7 ELSE 5 END + 0.1) * 10) - 7)": DOUBLES,
}
"""Expressions that raised for the one row only: an exact answer to 'is this person there?' for any epsilon at all."""


@pytest.mark.parametrize(
    "expression",
    list(LEAKS),
    ids=range(len(LEAKS)),
)
def test_no_row_makes_an_expression_raise(neighbours, expression):
    neighbours.total(f"SELECT COUNT(*) AS n FROM visits WHERE {expression} > 5")


def test_huge_offsets_do_not_raise(neighbours):
    sql = f"SELECT SUM(CASE WHEN {THEM} THEN cost * 1e-9 + 1e15 END) AS a FROM visits"
    assert neighbours.same(sql, epsilon="0.001").status in ("answered", "refused")


WRONG = {
    "LEAST(age, CASE WHEN urgent THEN 5 END)": (lambda one: 5 if one["urgent"] else one["age"], NO_NULL),
    "GREATEST(-age, CASE WHEN urgent THEN 5 END)": (lambda one: 5 if one["urgent"] else -one["age"], NO_NULL),
    "age // -7": (lambda one: -(one["age"] // 7), SIGN),
}


@pytest.mark.parametrize(
    ("expression", "meaning"),
    [(text, meaning) for text, (meaning, _) in WRONG.items()],
    ids=range(len(WRONG)),
)
def test_what_is_accepted_is_answered_rightly(tmp_path, monkeypatch, expression, meaning):
    silence(monkeypatch)
    with house(tmp_path, people()) as curator:
        answer = curator.ask(f"SELECT AVG({expression}) AS a FROM visits", epsilon=1)
    wanted = sum(meaning(one) for one in people()) / len(people())
    assert answer.table["a"][0].as_py() == pytest.approx(wanted, rel=1e-6)


def test_a_sum_far_from_zero_is_right_or_refused(tmp_path, monkeypatch):
    silence(monkeypatch)
    with house(tmp_path, people(), rules(tmp_path, contribution=5)) as curator:
        answer = curator.ask("SELECT SUM(cost * 1e-9 + 1e15) AS a FROM visits", epsilon=1)
    assert answer.table["a"][0].as_py() == pytest.approx(40e15, rel=1e-3)


PAID_FOR_NOTHING = {
    "SELECT CASE WHEN age < 18 THEN 1 ELSE 2 END AS k, COUNT(*) AS n FROM visits GROUP BY 1": FOUR_BYTES,
    "SELECT COUNT(*) AS n FROM visits GROUP BY (5)": FOUR_BYTES,
    "SELECT COUNT(*) AS n FROM visits WHERE age > 1e400": "a constant beyond doubles breaks the engine",
    "SELECT COUNT(*) AS n FROM visits WHERE word = '\ud800'": "half a character cannot be sent to the engine",
}


@pytest.mark.parametrize(
    "sql",
    list(PAID_FOR_NOTHING),
    ids=range(len(PAID_FOR_NOTHING)),
)
def test_what_cannot_be_answered_is_refused_before_the_charge(tmp_path, sql):
    with house(tmp_path, people()) as curator:
        assert outcome(curator, sql).status != "failed"


BROKEN_ANSWERS = {
    "SELECT urgent, COUNT(*) AS n FROM visits GROUP BY urgent HAVING NOT urgent": "a key that is a truth is a label",
    "SELECT urgent, CASE WHEN urgent THEN COUNT(*) END AS n FROM visits GROUP BY urgent": "the same, in the price",
    "SELECT LEAST(town, 'x') AS k, COUNT(*) AS n FROM visits GROUP BY town": "LEAST of labels",
    "SELECT COUNT(*) AS n FROM visits WHERE serial IN (99999999999999999999, 3) GROUP BY serial": "keys beyond 64 bits",
    "SELECT COUNT(*) AS n FROM visits GROUP BY CAST(age + 2932890 AS DATE)": "days beyond the calendar",
    "SELECT COUNT(*) AS n FROM visits WHERE EXP(age * 1000 + 10000) > 4": "e to the lower bound overflows",
    "SELECT COUNT(*) AS n FROM visits WHERE LN(age + 1e400) > 4": "a logarithm of what no double holds",
    "SELECT COUNT(*) AS n FROM visits LIMIT " + "9" * 5_000: "a number of more than 4300 digits",
    "SELECT COUNT(*) AS n FROM visits GROUP BY " + "9" * 5_000: "a number of more than 4300 digits",
    "SELECT COUNT(*) AS n FROM visits WHERE age > 1e9999": "a number of more than 4300 digits, when it is digested",
    "SELECT COUNT() AS n FROM visits": "an aggregate of nothing has no place in the text",
    "SELECT COUNT(*) AS n FROM visits WHERE FLOOR() > 1": "a function of nothing, too",
    "SELECT COUNT(*) AS n FROM visits WHERE SUBSTRING('x') = 'x'": "SUBSTRING without a start",
    "SELECT SUM(CASE WHEN urgent THEN NULL END) AS n FROM visits": "a CASE of nothing but NULL has no range",
    "SELECT AVG(cost * 1e-ge) AS n FROM visits": "half a number",
    "SELECT SUM(age" + "+1" * 900 + ") AS n FROM visits": "deep without brackets",
    "SELECT COUNT(*) AS n FROM visits WHERE " + " OR ".join(f"age={place}" for place in range(900)): "the same",
}


@pytest.mark.parametrize(
    "sql",
    list(BROKEN_ANSWERS),
    ids=range(len(BROKEN_ANSWERS)),
)
def test_a_question_is_answered_or_refused_and_nothing_else(tmp_path, sql):
    with house(tmp_path, people()) as curator:
        assert outcome(curator, sql).status in ("answered", "refused")


def test_having_with_a_bare_key_is_heard(tmp_path):
    with house(tmp_path, people()) as curator:
        answer = curator.ask("SELECT urgent, COUNT(*) AS n FROM visits GROUP BY urgent HAVING urgent", epsilon=1)
    assert answer.table["urgent"].to_pylist() == [True]


def test_private_keys_beyond_two_to_the_53_are_shown(tmp_path):
    """They were selected and paid for."""
    rows = [row(number, serial=2**53 + 1) for number in range(300)]
    with house(tmp_path, rows) as curator:
        answer = curator.ask("SELECT serial, COUNT(*) AS n FROM visits GROUP BY serial", epsilon=50, delta="1e-9")
        assert answer.table["serial"].to_pylist() == [2**53 + 1]


def test_two_columns_of_one_name(tmp_path):
    with house(tmp_path, people()) as curator:
        answer = curator.ask("SELECT COUNT(*) AS a, SUM(age) AS a FROM visits", epsilon=1)
    assert answer.table.column_names == ["a", "a_1"]


IGNORED = {
    "SELECT AVG(age) FROM visits AS v(serial, age)": "names for columns in FROM",
    "SELECT COUNT(*) FROM visits LIMIT 50%": "LIMIT in percent",
    "SELECT town, AVG(age) AS a FROM visits GROUP BY town ORDER BY town NULLS FIRST": "NULLS FIRST",
    "SELECT COUNT(*) FROM visits WHERE ROUND(cost, -1.5) > 3": "half a place",
}


@pytest.mark.parametrize(
    "sql",
    list(IGNORED),
    ids=range(len(IGNORED)),
)
def test_no_part_of_a_question_is_ignored(tmp_path, sql):
    with pytest.raises(Refused):
        bind(parse(sql), rules(tmp_path))


@pytest.mark.parametrize(
    ("sql", "spend"),
    [
        pytest.param(
            "SELECT COUNT(*) FROM visits WHERE age > 1e3000000",
            {"epsilon": 1},
            id="exponent",
        ),
        pytest.param(
            "SELECT word, COUNT(*) FROM visits GROUP BY word",
            {"epsilon": "0.00003", "delta": "1e-15"},
            id="selection",
        ),
    ],
)
def test_planning_is_quick(tmp_path, sql, spend):
    start = time.process_time()
    with suppress(Refused):
        price(bind(parse(sql), rules(tmp_path)), Spend.of(**spend))
    assert time.process_time() - start < 0.5


def test_unsigned_wide_numbers_are_clamped(tmp_path):
    """The largest value made every question fail."""
    with duckdb.connect(str(tmp_path / "x.duckdb")) as connection:
        connection.execute(f"CREATE TABLE x AS SELECT UNNEST(['1', '{2**128 - 1}'])::UHUGEINT AS n")
    table = {"source": "x.duckdb::x", "columns": {"n": {"type": "integer", "bounds": [-5, 100]}}}
    policy = Policy.from_mapping(
        {"population": {"name": "x"}, "budget": {"epsilon": 10}, "tables": {"x": table}}, origin="x", folder=tmp_path
    )
    with Curator(policy, engine_of(policy), Ledger.memory("x")) as curator:
        assert outcome(curator, "SELECT SUM(n) AS a FROM x").status == "answered"


STORED = {
    "int64": ("integer", pa.array([1, -(2**63), 2**63 - 1], type=pa.int64())),
    "uint64": ("integer", pa.array([1, 2**64 - 1, None], type=pa.uint64())),
    "real": ("integer", pa.array([1e300, float("inf"), -float("inf")])),
    "short": ("integer", pa.array([-128, 127, None], type=pa.int8())),
    "words": ("integer", pa.array(["99999999999999999999", "x", "0x10"])),
    "numerals": ("number", pa.array(["1e400", "nan", "1,5"])),
    "truths": ("number", pa.array([True, False, None])),
    "large": ("number", pa.array([1, 2**63 - 1, 0])),
    "bytes": ("number", pa.array([b"1", b"\xff", b"\x00"])),
}


def test_files_of_other_types_are_read_totally(tmp_path):
    """What a file holds is a value of the declared kind, or NULL, and never an error."""
    pq.write_table(pa.table({name: values for name, (_, values) in STORED.items()}), tmp_path / "x.parquet")
    free = {name: {"type": kind} for name, (kind, _) in STORED.items()}
    bounded = {name: column | {"bounds": [-5, 100]} for name, column in free.items()}
    tables = {"free": {"columns": free}, "bounded": {"columns": bounded}}
    for table in tables.values():
        table["source"] = "x.parquet"
    data = {"population": {"name": "x"}, "budget": {"epsilon": 10}, "tables": tables}
    policy = Policy.from_mapping(data, origin="x", folder=tmp_path)
    with Curator(policy, engine_of(policy), Ledger.memory("x")) as curator:
        for table in tables:
            for n in STORED:
                for sql in (
                    f"SELECT COUNT({n}) AS a, SUM(LEAST(GREATEST({n}, 0), 9)) AS b FROM {table}",
                    f"SELECT COUNT(*) AS a FROM {table} WHERE {n} * {n} > 5 OR ABS({n}) + ROUND({n}, -1) > FLOOR({n})",
                    f"SELECT COUNT(CAST({n} AS DATE)) AS a, COUNT(CAST({n} AS VARCHAR)) AS b FROM {table}",
                ):
                    found = outcome(curator, sql)
                    assert (found.status, found.charged) == ("answered", Fraction(1, 1000)), sql


@pytest.mark.parametrize("function", ["NULLIF({}, 1)", "SQRT({})", "LN({})"])
def test_what_grows_too_long_is_refused_before_the_charge(tmp_path, function):
    """Guards repeat what they guard, so each level doubles the text."""
    value = "age"
    for _ in range(25):
        value = function.format(value)
    with house(tmp_path, people()) as curator:
        assert outcome(curator, f"SELECT COUNT(*) AS n FROM visits WHERE {value} > 3").status != "failed"


def test_days_made_of_real_numbers_are_all_listed(tmp_path, monkeypatch):
    silence(monkeypatch)
    with house(tmp_path, people()) as curator:
        answer = curator.ask(
            "SELECT CAST(heat * 0.001 + 0.6 AS DATE) AS k, COUNT(*) AS n FROM visits GROUP BY 1", epsilon=1
        )
    assert sum(answer.table["n"].to_pylist()) == len(people())
