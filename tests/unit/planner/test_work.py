"""Planning is bounded by counting steps: what takes too many is refused, always, and before anything is charged."""

from contextlib import suppress
from pathlib import Path

import pytest

from deniable.core.errors import Refused
from deniable.planner import Spend, plan_question, work
from tests.support.curators import curator
from tests.support.tables import policy, visits

RULES = policy(Path("nowhere"), contribution=3)


def _levels(level: str, most: int) -> str:
    """As many queries as fit, each on the one before."""
    text = "WITH c0 AS (SELECT patient_id, age AS a, age AS b, age AS c, age AS d FROM visits)"
    number = 1
    while len(text) < most:
        text += f", c{number} AS ({level.format(number - 1)})"
        number += 1
    return f"{text} SELECT COUNT(*) AS n FROM c{number - 1}"


_LONG = "+".join(["age"] * 90)
_KEYS = [f"{_LONG}+{number}" for number in range(8)]
_BY_KEYS = f"SELECT {', '.join(_KEYS)}, COUNT(*) FROM visits GROUP BY {', '.join(_KEYS)}"
_COUNTS = ", ".join(f"COUNT(*) FILTER (WHERE age > {number})" for number in range(99))
_SUMS = ", ".join(f"SUM({'+'.join(['a'] * 50)} + {number})" for number in range(90))
_SPREAD = "SELECT patient_id, a+1 AS a, b+1 AS b, c+1 AS c, d+1 AS d FROM c{}"
REFUSED = {"too-complex", "too-long", "accuracy"}
TOO_COMPLEX = {
    "keys of long sums": (_BY_KEYS, {"epsilon": 1}),
    "an accuracy that cannot be": (f"SELECT {_COUNTS} FROM visits", {"accuracy": "1e-290"}),
    "chained queries": (_levels(_SPREAD, 17_000), {"epsilon": 1}),
    "a long name that is used often": (
        f"WITH v AS (SELECT {_LONG} AS a FROM visits) SELECT {_SUMS} FROM v",
        {"epsilon": 1},
    ),
    "a long column that is sorted by": (
        f"SELECT CORR(score, age) AS r FROM visits ORDER BY {', '.join(['+'.join(['r'] * 90)] * 90)}",
        {"epsilon": 1},
    ),
    "keys of many values": (
        "SELECT COUNT(*) FROM visits GROUP BY CASE "
        + " ".join(f"WHEN age = {number} THEN FLOOR(score * 1000) + {number}" for number in range(300))
        + " END",
        {"epsilon": 1},
    ),
    "choices among many values": (
        f"SELECT {', '.join(f'MODE(FLOOR(score * 300) + {number})' for number in range(60))} FROM visits",
        {"epsilon": 1},
    ),
}
ANSWERED = {
    "99 counts by accuracy": (f"SELECT {_COUNTS} FROM visits", {"accuracy": 5}),
    "98 quantiles": (
        "SELECT " + ", ".join(f"QUANTILE_CONT(age, 0.{number:02d})" for number in range(1, 99)) + " FROM visits",
        {"epsilon": 1},
    ),
    "a key of a million values": (
        "SELECT x, COUNT(*) FROM (SELECT FLOOR(score * 5000) AS x FROM visits) t GROUP BY x",
        {"epsilon": 1},
    ),
    "long sums": (
        "SELECT " + ", ".join(f"SUM({'+'.join(['score'] * 20)} + {number})" for number in range(99)) + " FROM visits",
        {"epsilon": 1},
    ),
    "long conditions": (
        f"SELECT COUNT(*) FROM visits WHERE age IN ({', '.join(map(str, range(3000)))})",
        {"epsilon": 1},
    ),
}


@pytest.fixture
def steps(monkeypatch):
    """The steps that were taken, of each piece of work."""
    taken = []
    plain = work.Steps.spend

    def spend(self, number):
        taken.append(number)
        plain(self, number)

    monkeypatch.setattr(work.Steps, "spend", spend)
    return taken


@pytest.mark.parametrize("name", TOO_COMPLEX)
def test_what_takes_too_many_steps_is_refused_soon_after(name, steps):
    sql, payment = TOO_COMPLEX[name]
    assert len(sql) <= 20_000
    with pytest.raises(Refused) as refused:
        plan_question(sql, RULES, Spend.of(**payment))
    assert refused.value.code in REFUSED
    assert max(steps) < work.MOST_STEPS  # none is so large that much was done before it was counted
    assert sum(steps) < 4 * work.MOST_STEPS


@pytest.mark.parametrize("name", ANSWERED)
def test_large_questions_are_answered_in_the_same_number_of_steps_each_time(name, steps):
    sql, payment = ANSWERED[name]
    plan_question(sql, RULES, Spend.of(**payment))
    once = list(steps)
    plan_question(sql, RULES, Spend.of(**payment))
    assert steps == once * 2


def test_a_refusal_that_somebody_caught_comes_again():
    with pytest.raises(Refused) as refused, work.counted(10), suppress(Refused):
        work.spend(11)
    assert refused.value.code in REFUSED


def test_work_inside_of_work_is_counted_by_itself():
    with work.counted(10) as outer:
        with work.counted(5) as inner:
            work.spend(5)
        work.spend(3)
    assert (outer.left, inner.left) == (7, 0)
    work.spend(10**9)  # nobody counts


@pytest.mark.parametrize("name", TOO_COMPLEX)
def test_nothing_is_charged(name, tmp_path):
    sql, payment = TOO_COMPLEX[name]
    asked = curator(tmp_path, visits(50, seed=1), policy(tmp_path, contribution=3))
    before = asked.ledger.history()
    for ask in (asked.explain, asked.ask):
        with pytest.raises(Refused) as refused:
            ask(sql, **payment)
        assert refused.value.code in REFUSED
    assert asked.ledger.history() == before
    asked.close()


@pytest.mark.parametrize("levels", [10, 50, 51, 390])
def test_what_explain_accepts_ask_answers_however_deep_it_is(levels, tmp_path):
    queries = [f", c{level} AS (SELECT p, SUM(a) a FROM c{level - 1} GROUP BY p)" for level in range(1, levels)]
    first = "c0 AS (SELECT patient_id p, SUM(age) a FROM visits GROUP BY 1)"
    sql = f"WITH {first}{''.join(queries)} SELECT COUNT(*) AS n FROM c{levels - 1}"
    asked = curator(tmp_path, visits(50, seed=1), policy(tmp_path, contribution=3))
    codes = []
    for ask in (asked.explain, asked.ask):
        try:
            ask(sql, epsilon=1)
            codes.append(None)
        except Refused as refusal:
            codes.append(refusal.code)
    asked.close()
    assert codes == [None if levels <= 50 else "too-long"] * 2
