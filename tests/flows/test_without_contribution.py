"""A unit without a contribution: every room refuses, a profile is made, and what it suggests opens the rooms."""

import tomllib
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

import deniable
from deniable.apps.cli import app
from deniable.curator import adopt, create
from deniable.curator.profiling.purchase import plan_profile
from deniable.curator.profiling.texts import unlisted_texts
from deniable.learn import LinearRegression
from deniable.planner import Spend
from deniable.policy import Policy, load
from deniable.policy.terms import changes, terms_of
from deniable.releases import Workload
from deniable.releases.profile.suggest import applied, suggestions
from deniable.releases.synthetic.synthesis import Synthesis

DRAFT = """
[population]
name = "shop"
[budget]
epsilon = 4000
delta = 1e-6
[limits]
most_spend = 1
[tables.orders]
source = "orders.parquet"
unit = "customer"
key = "number"
[tables.orders.columns]
number = { type = "integer" }
customer = { type = "integer" }
paid = { type = "number", bounds = [0, 100], nulls = false }
kind = { type = "text", values = ["a", "b"], nulls = false }
note = { type = "text" }
[tables.lines]
source = "lines.parquet"
unit = "order -> orders"
contribution = 4
[tables.lines.columns]
order = { type = "integer" }
price = { type = "number", bounds = [0, 100], nulls = false }
[tables.towns]
source = "towns.csv"
public = true
[tables.towns.columns]
town = { type = "text" }
"""
COUNT = "SELECT COUNT(*) AS n FROM orders"
REFUSED = [
    COUNT,
    "SELECT kind, AVG(paid) AS x FROM orders GROUP BY kind",
    "SELECT MEDIAN(paid) AS x FROM orders",
    "SELECT note, COUNT(*) AS n FROM orders GROUP BY note",
    "SELECT COUNT(DISTINCT customer) AS n FROM orders",
    'SELECT COUNT(*) AS n FROM lines JOIN orders ON lines."order" = orders.number',
    'SELECT COUNT(*) AS n FROM lines WHERE "order" IN (SELECT number FROM orders)',
    'SELECT COUNT(*) AS n FROM lines WHERE EXISTS (SELECT 1 FROM orders WHERE orders.number = lines."order")',
    "WITH o AS (SELECT * FROM orders) SELECT COUNT(*) AS n FROM o",
    "SELECT COUNT(*) AS n FROM (SELECT customer, COUNT(*) AS many FROM orders GROUP BY customer) AS each",
    "SELECT SUM(n) AS n FROM (SELECT kind, COUNT(*) AS n FROM orders GROUP BY kind) AS t",
    "SELECT COUNT(*) AS n FROM (SELECT paid FROM orders UNION ALL SELECT price AS paid FROM lines) AS t",
    "SELECT COUNT(*) AS n FROM orders, towns WHERE orders.kind = towns.town",
]


@pytest.fixture
def shop(tmp_path):
    random = np.random.default_rng(8)
    orders = np.arange(3_000)
    pq.write_table(
        pa.table(
            {
                "number": orders,
                "customer": np.minimum(random.geometric(0.01, orders.size), 400),
                "paid": random.gamma(2, 10, orders.size),
                "kind": random.choice(["a", "b"], orders.size),
                "note": random.choice(["x", "y"], orders.size),
            }
        ),
        tmp_path / "orders.parquet",
    )
    lines = {"order": random.integers(0, 3_000, 5_000), "price": random.gamma(2, 5, 5_000)}
    pq.write_table(pa.table(lines), tmp_path / "lines.parquet")
    (tmp_path / "towns.csv").write_text("town\na\n")
    path = tmp_path / "shop.toml"
    path.write_text(DRAFT)
    create(path, reason="a test").close()
    return path


def test_every_room_refuses_and_nothing_is_spent(shop):
    rooms = [
        lambda one: one.release(Workload.histogram("kind").on("orders"), rho=1),
        lambda one: one.explain(Workload.histogram("kind").on("orders"), rho=1),
        lambda one: one.synthesize("orders", columns=["paid", "kind"], rho=1),
        lambda one: one.synthesize(rho=1),
        lambda one: one.explain(Synthesis("orders", columns=["paid", "kind"]), rho=1),
        lambda one: one.train(LinearRegression(), "SELECT paid, number FROM orders", target="paid", rho=1),
        lambda one: one.explain_training(LinearRegression(), "SELECT paid, number FROM orders", target="paid", rho=1),
        lambda one: one.ask_all([COUNT, "SELECT COUNT(*) AS n FROM lines"], epsilon=1),
        lambda one: one.ask(COUNT, epsilon=1, contribution=1),
        lambda one: one.ask(COUNT, accuracy=10),
    ]
    with deniable.open(shop) as one:
        before = one.budget()
        for sql in REFUSED:
            for step in (one.explain, one.ask):
                with pytest.raises(deniable.Refused) as refusal:
                    step(sql, epsilon=1, delta="1e-8" if "note" in sql else None)
                assert refusal.value.code == "no-contribution", sql
                assert "deniable profile" in refusal.value.hint
        for number, room in enumerate(rooms):
            with pytest.raises(deniable.Refused) as refusal:
                room(one)
            assert refusal.value.code == "no-contribution", number
        assert one.budget() == before


def test_other_tables_are_asked_also_those_whose_people_are_found_through_it(shop):
    with deniable.open(shop) as one:
        answer = one.ask("SELECT COUNT(*) AS n FROM lines", epsilon=100)
        assert abs(answer.table["n"][0].as_py() - 5_000) < 5_000
        assert one.ask("SELECT COUNT(*) AS n FROM towns", epsilon=1).table["n"][0].as_py() == 1
        assert one.budget().counted[0] == "lines"


def test_a_profile_weighs_each_person_as_one_row_and_suggests_a_contribution(shop):
    with deniable.open(shop) as one:
        before = terms_of(one.policy)
        profile = one.profile(rho=2000)
        people = profile.tables["orders"].people.people
        assert people.low <= 400
    found = suggestions(profile, 1)
    (suggested,) = [one for one in found if one.table == "orders" and one.setting == "contribution"]
    text, left = applied(shop.read_text(), found, profile.release)
    assert not left
    assert f'unit = "customer"\ncontribution = {suggested.value}   # from the private profile' in text
    assert text.count("# from the private profile") == len({(one.table, one.column) for one in found})
    shop.write_text(text)
    differences = changes(before, terms_of(load(shop)))
    assert "table orders: contribution is new" in [change.words for change in differences]
    assert all(change.weight.name == "PLAIN" for change in differences)
    adopt(shop, "the suggestions of the profile")
    with deniable.open(shop) as one:
        assert one.policy.tables["orders"].contribution == int(suggested.value)
        assert one.profile(rho=2000).free
        low, high = (one.ask(COUNT, epsilon=1).intervals[f"n_{end}"][0].as_py() for end in ("low", "high"))
        assert low < high
        with pytest.raises(deniable.Refused):
            one.ask(COUNT, epsilon=1, contribution=0)


def test_a_frame_without_a_contribution_is_told_where_one_is_named():
    frame = pa.table({"customer": [1, 1, 2] * 20, "paid": [1.0, 2.0, 3.0] * 20})
    with deniable.protect(frame, epsilon=50, delta=1e-6, unit="customer", bounds={"paid": (0, 5)}) as one:
        with pytest.raises(deniable.Refused, match="how many rows of one person") as refusal:
            one.ask("SELECT COUNT(*) AS n FROM data", epsilon=1)
        assert "`protect`" in refusal.value.hint
        assert one.profile(rho=1).tables["data"].people is not None


def test_a_missing_contribution_is_one_row_wherever_it_is_read():
    """Not even a room that forgot to ask would take it for more; and profiles count the same with any contribution."""
    rules = load_text(DRAFT)
    named = load_text(DRAFT.replace('key = "number"', 'key = "number"\ncontribution = 50'))
    assert plan_profile(rules, Spend.of(rho=1)) == plan_profile(named, Spend.of(rho=1))
    asked = [unlisted_texts(one, Spend.of(rho=10, delta="1e-7"))[0] for one in (rules, named)]
    assert [("orders", "note") in questions for questions in asked] == [False, True]
    assert rules.tables["orders"].unweighed
    assert rules.tables["orders"].contribution == 1
    assert rules.weighing(1).tables["orders"].unweighed
    assert rules.weighing(50).tables["orders"].unweighed
    assert not rules.as_profiled.tables["orders"].unweighed
    assert rules.as_profiled.tables["orders"].contribution == 1
    assert rules.tables["orders"].facts["contribution"] is None


def load_text(text):
    return Policy.from_mapping(tomllib.loads(text), origin="tests", folder=Path())


def test_check_says_so(shop):
    shown = CliRunner().invoke(app, ["check", str(shop)])
    assert shown.exit_code == 0, shown.output
    words = " ".join(shown.output.split())
    assert "note: orders names no contribution, so only a profile of it can be made" in words
    assert "lines names no" not in words
