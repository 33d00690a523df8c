"""Columns of a public table that follow from a group key: read off the key, for nothing."""

from dataclasses import replace

import duckdb
import pytest

from deniable.core.errors import Refused
from deniable.curator import Curator
from deniable.curator.factory import engine_of
from deniable.ledger import Ledger
from deniable.planner import Spend, plan_question
from tests.support.curators import silence
from tests.support.plain import assert_equal
from tests.support.shop import ITEMS, policy, tables
from tests.support.world import curator

LEFT = "lines LEFT JOIN items USING (item)"
ON = "lines l JOIN items i ON l.item = i.item"
QUESTIONS = {
    f"SELECT i.item AS k, i.kind AS l, SUM(price) AS a FROM {ON} GROUP BY i.item, i.kind": (
        f"SELECT i.item AS k, i.kind AS l, SUM(price) AS a FROM {ON} GROUP BY 1, 2"
    ),
    f"SELECT l.item AS k, i.kind AS l, SUM(price) AS a FROM {ON} GROUP BY l.item": (
        f"SELECT l.item AS k, ANY_VALUE(i.kind) AS l, SUM(price) AS a FROM {ON} GROUP BY 1"
    ),
    f"SELECT i.item AS k, weight * 2 + COUNT(*) AS a FROM {ON} GROUP BY i.item ORDER BY weight": (
        f"SELECT i.item AS k, ANY_VALUE(weight) * 2 + COUNT(*) AS a FROM {ON} GROUP BY 1"
    ),
    f"SELECT item AS k, kind AS l, COUNT(*) AS a FROM {LEFT} GROUP BY item": (
        f"SELECT item AS k, ANY_VALUE(kind) AS l, COUNT(*) AS a FROM {LEFT} GROUP BY 1"
    ),
    "SELECT i.item AS k, kind AS l, COUNT(*) AS a FROM items i, lines l WHERE l.item = i.item GROUP BY 1 "
    "HAVING weight > 2": (
        "SELECT i.item AS k, ANY_VALUE(kind) AS l, COUNT(*) AS a FROM items i, lines l WHERE l.item = i.item "
        "GROUP BY 1 HAVING ANY_VALUE(weight) > 2"
    ),
}


def knowing(rules, rows=None):
    """The policy of somebody who has read the public items."""
    read = rules.tables["items"].knowing(ITEMS.to_pylist() if rows is None else rows)
    return replace(rules, tables={**rules.tables, "items": read})


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    """A quiet curator, and plain DuckDB, which has the lines that have an owner."""
    folder, found = tmp_path_factory.mktemp("determined"), tables(40, seed=3)
    plain = duckdb.connect()
    for name in ("lines", "orders", "items"):
        plain.register(f"given_{name}", found[name])
    owners = "SELECT DISTINCT order_id, cust FROM given_orders WHERE cust IS NOT NULL"
    plain.execute(f"CREATE TABLE lines AS SELECT l.* FROM given_lines l JOIN ({owners}) USING (order_id)")
    plain.execute("CREATE TABLE items AS FROM given_items")
    rules = knowing(policy(folder))
    with curator(folder, found, rules) as quiet:
        yield Curator(rules, engine_of(rules), Ledger.memory("shop")), plain, quiet


@pytest.mark.parametrize("question", QUESTIONS)
def test_equals_plain_duckdb(asked, question, monkeypatch):
    quiet, plain, _ = asked
    silence(monkeypatch)
    assert_equal(quiet.ask(question, epsilon=1, delta=1e-9), plain, QUESTIONS[question])


def test_nothing_is_paid_for_it(tmp_path):
    """The same statistics, the same noise, the same groups: only another column is shown."""
    rules = knowing(policy(tmp_path))
    with_it, without = (
        plan_question(f"SELECT l.item, {more}COUNT(*) AS n FROM {ON} GROUP BY l.item", rules, Spend.of(epsilon=1))
        for more in ("i.kind, ", "")
    )
    assert with_it.digest == without.digest


@pytest.mark.parametrize(
    "question",
    [
        f"SELECT kind, COUNT(*) AS n FROM {ON} GROUP BY l.order_id",
        f"SELECT kind, COUNT(*) AS n FROM {ON} GROUP BY l.item + 1",
        f"SELECT price, COUNT(*) AS n FROM {ON} GROUP BY l.item",
        "SELECT kind, COUNT(*) AS n FROM lines l LEFT JOIN items i ON l.item = i.item AND price > 3 GROUP BY l.item",
    ],
)
def test_what_does_not_follow_is_refused(tmp_path, question):
    with pytest.raises(Refused) as caught:
        plan_question(question, knowing(policy(tmp_path)), Spend.of(epsilon=1, delta=1e-7))
    assert caught.value.code == "not-grouped"


def test_a_key_that_two_rows_have_determines_nothing(tmp_path):
    rules = knowing(policy(tmp_path), [*ITEMS.to_pylist(), {"item": 0, "kind": "tools", "weight": 1}])
    with pytest.raises(Refused) as caught:
        plan_question(f"SELECT kind, COUNT(*) AS n FROM {ON} GROUP BY l.item", rules, Spend.of(epsilon=1))
    assert caught.value.code == "not-grouped"
