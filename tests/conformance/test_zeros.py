"""Both zeros are one group: whatever a division, or a public table, makes of a zero's sign."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deniable.curator import Curator
from deniable.curator.factory import engine_of
from deniable.ledger import Ledger
from deniable.policy import Policy
from tests.support.curators import silence
from tests.support.limits import LOOSE

SHOPS = pa.table({"id": [0, 1, 2], "rate": [-0.0, 0.0, 0.5], "name": ["a", "a", "b"]})
ORDERS = pa.table({"shop": [0, 0, 0, 1, 1, 2]})


@pytest.fixture(scope="module")
def quiet(tmp_path_factory):
    folder = tmp_path_factory.mktemp("zeros")
    pq.write_table(SHOPS, folder / "shops.parquet")
    pq.write_table(ORDERS, folder / "orders.parquet")
    number = {"type": "integer", "bounds": [0, 9], "nulls": False}
    rate = {"type": "number", "bounds": [0, 1], "nulls": False}
    name = {"type": "text", "nulls": False, "values": ["a", "b"]}
    shops = {"source": "shops.parquet", "public": True, "key": "id", "columns": {"id": number, "rate": rate}}
    shops["columns"]["name"] = name
    rules = {
        "population": {"name": "zeros", "neighbours": "add-remove"},
        "budget": {"epsilon": 1e6},
        "limits": LOOSE,
        "tables": {"orders": {"source": "orders.parquet", "columns": {"shop": number}}, "shops": shops},
    }
    policy = Policy.from_mapping(rules, origin="zeros", folder=folder)
    curator = Curator(policy, engine_of(policy), Ledger.memory(policy.population))
    yield curator
    curator.close()


@pytest.mark.parametrize(
    ("question", "zero"),
    [
        ("SELECT shop / -2 AS k, COUNT(*) AS n FROM orders GROUP BY k", 3),
        ("SELECT rate AS k, COUNT(*) AS n FROM orders JOIN shops ON shop = id GROUP BY k", 5),
        ("SELECT rate AS k, name AS l, COUNT(*) AS n FROM orders JOIN shops ON shop = id GROUP BY k, l", 5),
        ("SELECT rate AS k, id AS l, COUNT(*) AS n FROM orders JOIN shops ON shop = id GROUP BY k, l", 5),
    ],
)
def test_zeros_are_one_group(quiet, question, zero, monkeypatch):
    silence(monkeypatch)
    rows = quiet.ask(question, epsilon=1).table.to_pylist()
    assert sum(row["n"] for row in rows if row["k"] == 0) == zero
    assert sum(row["n"] for row in rows) == len(ORDERS)
