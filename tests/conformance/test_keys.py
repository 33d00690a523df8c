"""Units through foreign keys: rows count once for each whom their key leads to, and no two people's rows meet."""

from fractions import Fraction

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from deniable.planner import Spend, bind, parse, price
from tests.support.curators import silence
from tests.support.measured import distance, exact_integers
from tests.support.plain import assert_equal
from tests.support.shop import policy, tables
from tests.support.world import curator

QUESTIONS = {
    "SELECT COUNT(*) AS a, SUM(price) AS b FROM lines": "SELECT COUNT(*) AS a, SUM(price) AS b FROM l",
    "SELECT item AS k, AVG(price) AS a FROM lines GROUP BY item": "SELECT item AS k, AVG(price) AS a FROM l GROUP BY 1",
    "SELECT COUNT(*) AS a FROM lines l JOIN orders o ON l.order_id = o.order_id WHERE total > 50": (
        "SELECT COUNT(*) AS a FROM l JOIN o ON l.order_id = o.order_id AND l.unit = o.unit WHERE total > 50"
    ),
    "SELECT region AS k, SUM(price) AS a FROM lines, orders, customers WHERE lines.order_id = orders.order_id "
    "AND orders.cust = customers.cust GROUP BY region": (
        "SELECT region AS k, SUM(price) AS a FROM l JOIN o ON l.order_id = o.order_id AND l.unit = o.unit "
        "JOIN c ON o.cust = c.cust AND o.unit = c.unit GROUP BY 1"
    ),
    "SELECT kind AS k, COUNT(*) AS a FROM items i, customers c, orders o, lines l WHERE i.item = l.item "
    "AND o.cust = c.cust AND l.order_id = o.order_id AND region = 'north' GROUP BY kind": (
        "SELECT kind AS k, COUNT(*) AS a FROM l JOIN items i USING (item) JOIN o ON l.order_id = o.order_id "
        "AND l.unit = o.unit JOIN c ON o.cust = c.cust AND o.unit = c.unit WHERE region = 'north' GROUP BY 1"
    ),
    "SELECT COUNT(*) AS a, COUNT(price) AS b FROM orders o LEFT JOIN lines l ON o.order_id = l.order_id": (
        "SELECT COUNT(*) AS a, COUNT(price) AS b FROM o LEFT JOIN l ON l.order_id = o.order_id AND l.unit = o.unit"
    ),
    "SELECT COUNT(*) AS a, COUNT(price) AS b FROM lines RIGHT JOIN orders USING (order_id)": (
        "SELECT COUNT(*) AS a, COUNT(price) AS b FROM o LEFT JOIN l ON l.order_id = o.order_id AND l.unit = o.unit"
    ),
    "SELECT COUNT(*) AS a, SUM(total) AS b FROM lines FULL JOIN orders USING (order_id)": (
        "SELECT COUNT(*) AS a, SUM(total) AS b FROM o FULL JOIN l ON l.order_id = o.order_id AND l.unit = o.unit"
    ),
    "SELECT COUNT(*) AS a FROM orders WHERE order_id IN (SELECT order_id FROM lines WHERE price > 15)": (
        "SELECT COUNT(*) AS a FROM o WHERE EXISTS "
        "(SELECT 1 FROM l WHERE l.order_id = o.order_id AND l.unit = o.unit AND price > 15)"
    ),
    "SELECT SUM(total) AS a FROM orders WHERE order_id IN "
    "(SELECT order_id FROM lines GROUP BY order_id HAVING SUM(price) > 20)": (
        "SELECT SUM(total) AS a FROM o WHERE (order_id, unit) IN "
        "(SELECT (order_id, unit) FROM l GROUP BY order_id, unit HAVING SUM(price) > 20)"
    ),
    "SELECT COUNT(*) AS a FROM orders o WHERE NOT EXISTS "
    "(SELECT * FROM lines WHERE order_id = o.order_id AND item < 3)": (
        "SELECT COUNT(*) AS a FROM o WHERE NOT EXISTS "
        "(SELECT 1 FROM l WHERE l.order_id = o.order_id AND l.unit = o.unit AND item < 3)"
    ),
    "SELECT LEAST(n, 5) AS k, COUNT(*) AS a FROM (SELECT order_id, COUNT(*) AS n FROM lines GROUP BY 1) t GROUP BY 1": (
        "SELECT LEAST(n, 5) AS k, COUNT(*) AS a FROM (SELECT order_id, unit, COUNT(*) AS n FROM l GROUP BY 1, 2) t "
        "GROUP BY 1"
    ),
    "SELECT AVG(LEAST(n, 9)) AS a FROM orders JOIN (SELECT order_id, COUNT(*) AS n FROM lines GROUP BY order_id) t "
    "USING (order_id)": (
        "SELECT AVG(LEAST(n, 9)) AS a FROM o JOIN (SELECT order_id, unit, COUNT(*) AS n FROM l GROUP BY 1, 2) t "
        "USING (order_id, unit)"
    ),
    "SELECT COUNT(*) AS a FROM lines a JOIN lines b ON a.order_id = b.order_id AND a.price < b.price": (
        "SELECT COUNT(*) AS a FROM l a JOIN l b ON a.order_id = b.order_id AND a.unit = b.unit AND a.price < b.price"
    ),
    "SELECT item AS k, COUNT(*) AS a FROM (SELECT DISTINCT order_id, item FROM lines) t GROUP BY item": (
        "SELECT item AS k, COUNT(*) AS a FROM (SELECT DISTINCT order_id, unit, item FROM l) t GROUP BY item"
    ),
}
"""As they are asked, and as plain DuckDB must be told: l, o and c are the tables with their units."""


def plain(found, *, chain):
    """The tables, each row as often as there are units that its key leads to."""
    connection = duckdb.connect()
    for name, table in found.items():
        connection.register(f"given_{name}", table)
        connection.execute(f"CREATE TABLE {name} AS FROM given_{name}")
    unit = "house" if chain else "cust"
    connection.execute(f"CREATE VIEW c AS SELECT *, {unit} AS unit FROM customers WHERE {unit} IS NOT NULL")
    looked_up = "SELECT orders.*, u.unit FROM orders JOIN (SELECT DISTINCT cust, unit FROM c) u USING (cust)"
    connection.execute(
        f"CREATE VIEW o AS {looked_up if chain else 'SELECT *, cust AS unit FROM orders WHERE cust >= 0'}"
    )
    connection.execute(
        "CREATE VIEW l AS SELECT lines.*, u.unit FROM lines JOIN (SELECT DISTINCT order_id, unit FROM o) u "
        "USING (order_id)"
    )
    return connection


@pytest.fixture(scope="module", params=[False, True], ids=["key", "chain"])
def asked(request, tmp_path_factory):
    folder, found = tmp_path_factory.mktemp("shop"), tables(40, seed=1)
    with curator(folder, found, policy(folder, chain=request.param)) as quiet:
        yield quiet, plain(found, chain=request.param)


@pytest.mark.parametrize("question", QUESTIONS)
def test_equals_plain_duckdb(asked, question, monkeypatch):
    quiet, reference = asked
    silence(monkeypatch)
    assert_equal(quiet.ask(question, epsilon=1), reference, QUESTIONS[question])


@pytest.mark.parametrize("relation", ["add-remove", "replace"])
@pytest.mark.parametrize("chain", [False, True], ids=["key", "chain"])
@pytest.mark.parametrize("contribution", [2, pytest.param(1, marks=pytest.mark.deep)])
def test_no_pair_of_neighbours_is_farther_apart_than_claimed(tmp_path, relation, chain, contribution):
    """One unit goes with its rows at the root and with all that hangs on nobody else; or comes back with other rows."""
    rules = policy(tmp_path, contribution=contribution, neighbours=relation, chain=chain, most=25)
    plans = [price(bind(parse(question), rules), Spend.of(epsilon=1)) for question in QUESTIONS]
    chance = np.random.default_rng(contribution)
    farthest = Fraction(0)
    found = tables(12, seed=int(chance.integers(1 << 30)))
    for extreme in (False, True):
        pair = _neighbours(found, int(chance.integers(0, 4)), chain=chain, relation=relation, extreme=extreme)
        exact = [_exact(tmp_path, one, rules, plans) for one in pair]
        for plan, mine, theirs in zip(plans, *exact, strict=True):
            far = distance(plan, mine, theirs)
            assert far <= 1, plan
            farthest = max(farthest, far)
    assert farthest > Fraction(4, 10)  # far enough apart to tell a claim that is half of what it should be


def _exact(folder, found, rules, plans):
    with curator(folder, found, rules) as quiet:
        return [exact_integers(quiet.engine, plan) for plan in plans]


def _neighbours(found, person, *, chain, relation, extreme):
    """Someone with other rows, or with very many: orders of every number, so that all lines are theirs too.

    Lines that hang on nobody are left where they are: nobody sees them.
    """
    gone = _is(found["customers"], "house" if chain else "cust", person)
    cards = found["customers"].filter(gone)["cust"].to_pylist() or [person]
    mine = _is(found["orders"], "cust", person)
    without = {
        **found,
        "customers": found["customers"].filter(pc.invert(gone)),
        "orders": found["orders"] if chain else found["orders"].filter(pc.invert(mine)),
    }
    many = 200 if extreme else 8
    orders = {"order_id": np.arange(many) % 50, "cust": np.resize(cards, many), "total": np.full(many, 99.0)}
    customers = [{"cust": cards[0], "house": person, "region": "south"}] * (many // 4)
    having = {
        **without,
        "orders": pa.concat_tables([pa.table(orders), without["orders"]]),
        "customers": pa.concat_tables(
            [pa.Table.from_pylist(customers, schema=found["customers"].schema), without["customers"]]
        ),
    }
    return (without if relation == "add-remove" else found), having


def _is(table, column, value):
    return pc.fill_null(pc.equal(table[column], value), False)  # noqa: FBT003
