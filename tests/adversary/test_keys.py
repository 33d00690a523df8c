"""Units through keys, against someone who has every key, one key ten thousand times, or lines without end."""

import numpy as np
import pyarrow as pa
import pytest

from deniable.core.errors import Refused
from deniable.planner import Spend, bind, parse, price
from tests.support.shop import policy, tables
from tests.support.towns import Towns
from tests.support.world import curator

MANY, SOMEONE = 5_000, 1_000
EVERY, ONE, LINES = "every key", "one key", "many lines"
QUESTIONS = [
    "SELECT COUNT(*) AS n, SUM(price) AS s FROM lines",
    "SELECT item, COUNT(*) AS n, AVG(price) AS a FROM lines GROUP BY item",
    "SELECT COUNT(*) AS n FROM lines l JOIN orders o ON l.order_id = o.order_id",
    "SELECT COUNT(*) AS n FROM lines a JOIN lines b ON a.order_id = b.order_id",
    (
        "SELECT COUNT(*) AS n FROM lines, orders, customers WHERE lines.order_id = orders.order_id "
        "AND orders.cust = customers.cust AND total > 1"
    ),
    "SELECT COUNT(*) AS n FROM orders FULL JOIN lines USING (order_id)",
    (
        "SELECT COUNT(*) AS n FROM orders "
        "WHERE order_id NOT IN (SELECT order_id FROM lines WHERE order_id > 0) OR total > 3"
    ),
    "SELECT COUNT(*) AS n FROM orders o WHERE NOT EXISTS (SELECT 1 FROM lines l WHERE l.order_id = o.order_id)",
    (
        "SELECT COUNT(*) AS n FROM lines l "
        "WHERE EXISTS (SELECT 1 FROM lines m WHERE m.order_id = l.order_id AND m.price < l.price)"
    ),
    "SELECT SUM(LEAST(n, 9)) AS n FROM (SELECT order_id, COUNT(*) AS n FROM lines GROUP BY order_id) t",
    "SELECT MEDIAN(price) AS m, COUNT(DISTINCT item) AS d FROM lines",
    "SELECT order_id, COUNT(*) AS n FROM lines GROUP BY order_id",
]


def _theirs(kind):
    """Orders and lines of someone who is in one shop only; the lines hang on keys that nobody else has."""
    keys = {EVERY: np.arange(MANY) % 150, ONE: np.full(MANY, 10_000), LINES: np.arange(20) + 10_000}[kind]
    lines = np.zeros(0, int) if kind == EVERY else 10_000 + np.arange(MANY) % (1 if kind == ONE else 20)
    return (
        pa.table({"order_id": keys, "cust": np.full(keys.size, SOMEONE), "total": np.full(keys.size, 100.0)}),
        pa.table({"order_id": lines, "price": np.full(lines.size, 20.0), "item": lines % 6}),
    )


@pytest.fixture(scope="module", params=[EVERY, ONE, LINES])
def shops(request, tmp_path_factory):
    folder, found = tmp_path_factory.mktemp("shops"), tables(40, seed=4)
    orders, lines = _theirs(request.param)
    having = {
        **found,
        "orders": pa.concat_tables([orders, found["orders"]]),
        "lines": pa.concat_tables([lines, found["lines"]]),
    }
    houses = []
    for name, rows in (("without", found), ("having", having)):
        (folder / name).mkdir()
        houses.append(curator(folder / name, rows, policy(folder / name, contribution=2, most=100)))
    pair = Towns(*houses)
    yield pair
    pair.close()


@pytest.mark.parametrize("sql", QUESTIONS)
def test_nobody_moves_more_than_is_claimed_whatever_keys_they_have(shops, sql):
    shops.total(sql)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT COUNT(*) FROM lines l JOIN orders o ON l.item = o.order_id",
        "SELECT COUNT(*) FROM lines l JOIN orders o ON l.order_id = o.cust",
        "SELECT COUNT(*) FROM lines l JOIN orders o ON l.order_id + 0 = o.order_id",
        "SELECT COUNT(*) FROM lines l JOIN orders o ON l.order_id >= o.order_id AND l.order_id <= o.order_id",
        "SELECT COUNT(*) FROM lines l JOIN customers c ON l.order_id = c.cust",
        "SELECT COUNT(*) FROM orders WHERE cust IN (SELECT order_id FROM lines)",
        "SELECT COUNT(*) FROM orders WHERE total IN (SELECT price FROM lines)",
        "SELECT COUNT(*) FROM (SELECT item, SUM(price) AS s FROM lines GROUP BY item) t",
        "SELECT COUNT(*) FROM (SELECT order_id % 2 AS p, SUM(price) AS s FROM lines GROUP BY 1) t",
        'SELECT COUNT("whose row it is") FROM lines',
        "SELECT COUNT(DISTINCT cust) FROM lines",
        "SELECT COUNT(*) FROM (SELECT item FROM lines UNION SELECT order_id FROM orders) t",
    ],
)
def test_what_is_no_declared_key_ties_nobody(tmp_path, sql):
    with pytest.raises(Refused):
        price(bind(parse(sql), policy(tmp_path)), Spend.of(epsilon=1))
