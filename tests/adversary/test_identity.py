"""Equality is identity: values are the same if their bytes are, whatever collation or type a file stores them in."""

import unicodedata

import duckdb
import pytest

from deniable.core.errors import Refused
from deniable.curator import Curator
from deniable.curator.factory import engine_of
from deniable.ledger import Ledger
from deniable.policy import Policy
from tests.support.limits import LOOSE
from tests.support.neighbours import exact
from tests.support.towns import Towns

COLLATIONS = ["NOCASE", "NOACCENT", "NOCASE.NOACCENT"]
TEXTS = ["north", "NORTH", "nórth", "x"]
"""The same for one collation or another."""


def rules(folder, *, contribution=2):
    text = {"type": "text", "nulls": False}
    tables = {
        "visits": {
            "unit": "person",
            "contribution": contribution,
            "columns": {
                "person": text,
                "town": text | {"values": TEXTS},
                "word": text,
                "age": {"type": "integer", "bounds": [0, 110]},
            },
        },
        "stays": {"unit": "person", "contribution": contribution, "columns": {"person": text, "ward": text}},
        "places": {"public": True, "columns": {"name": text, "size": {"type": "integer", "bounds": [0, 9]}}},
    }
    return Policy.from_mapping(
        {
            "population": {"name": "identity"},
            "budget": {"epsilon": 10**6, "delta": 1e-6, "delta_for_keys": 5e-7},
            "limits": LOOSE,
            "tables": {name: {"source": f"data.duckdb::{name}", **table} for name, table in tables.items()},
        },
        origin="identity",
        folder=folder,
    )


def opened(folder, collation, visits, stays=(), *, unit=None):
    """A curator over a DuckDB file whose texts have this collation; `unit`: the type of the unit's column instead."""
    folder.mkdir(exist_ok=True)
    person = unit or f"VARCHAR COLLATE {collation}"
    text = f"VARCHAR COLLATE {collation}"
    with duckdb.connect(str(folder / "data.duckdb")) as file:
        file.execute(f"CREATE TABLE visits (person {person}, town {text}, word {text}, age INTEGER)")
        file.execute(f"CREATE TABLE stays (person {person}, ward {text})")
        file.execute(f"CREATE TABLE places (name {text}, size INTEGER)")
        for table, rows in (("visits", visits), ("stays", stays), ("places", [("north", 1), ("x", 2), ("x", 3)])):
            if rows:
                file.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(rows[0]))})", rows)
    policy = rules(folder)
    return Curator(policy, engine_of(policy), Ledger.memory(policy.population))


def counts(curator, sql):
    """The exact totals of the first statistic, in rows."""
    (totals, *_) = exact(curator, sql).values()
    return {key: value / 2**20 if value >= 2**20 else value for key, value in totals.items()}


@pytest.fixture(scope="module", params=COLLATIONS)
def collated(request, tmp_path_factory):
    """Ten people whose town is written in lower case, two in capitals, and one with an accent."""
    visits = [(f"p{number}", "north", "north", 20) for number in range(10)]
    visits += [("P0", "NORTH", "NORTH", 30), ("P1", "NORTH", "NORTH", 30), ("p\u00b9", "nórth", "nórth", 40)]
    stays = [("p0", "a"), ("P1", "A"), ("P1", "a")]
    curator = opened(tmp_path_factory.mktemp("collated"), request.param, visits, stays)
    yield curator
    curator.close()


def test_82_keys_of_the_answer(collated):
    assert counts(collated, "SELECT town, COUNT(*) AS n FROM visits GROUP BY town") == {0: 10, 1: 2, 2: 1, 3: 0}
    totals = exact(collated, "SELECT word, COUNT(*) AS n FROM visits GROUP BY word")
    assert totals["units"] == {("north",): 10, ("NORTH",): 2, ("nórth",): 1}


@pytest.mark.parametrize(
    ("sql", "many"),
    [
        ("SELECT COUNT(*) AS n FROM visits WHERE town = 'NORTH'", 2),
        ("SELECT COUNT(*) AS n FROM visits WHERE town IN ('NORTH', 'nope')", 2),
        ("SELECT COUNT(*) AS n FROM visits WHERE word < 'a'", 2),
        ("SELECT COUNT(*) AS n FROM visits WHERE word LIKE 'NO%'", 2),
        ("SELECT COUNT(*) AS n FROM visits WHERE STARTS_WITH(word, 'NO') OR CONTAINS(word, 'ó')", 3),
        ("SELECT COUNT(*) AS n FROM visits WHERE NULLIF(word, 'NORTH') IS NULL", 2),
        ("SELECT COUNT(*) AS n FROM visits WHERE LEAST(word, 'a') = 'NORTH'", 2),
        ("SELECT COUNT(DISTINCT word) AS n FROM visits", 3),
        ("SELECT COUNT(DISTINCT person) AS n FROM visits", 13),
        ("SELECT COUNT(*) AS n FROM visits JOIN places ON town = name", 10),
        ("SELECT COUNT(*) AS n FROM visits LEFT JOIN places ON town = name WHERE size IS NULL", 3),
        ("SELECT COUNT(*) AS n FROM visits WHERE town IN (SELECT name FROM places)", 10),
        ("SELECT COUNT(*) AS n FROM visits v JOIN stays s ON v.person = s.person", 3),
        ("SELECT COUNT(*) AS n FROM visits WHERE person IN (SELECT person FROM stays)", 2),
        ("SELECT COUNT(*) AS n FROM (SELECT DISTINCT person, town FROM visits) t", 13),
        (
            "SELECT COUNT(*) AS n FROM (SELECT person, MIN(word) AS w FROM visits GROUP BY person) t WHERE w = 'NORTH'",
            2,
        ),
        ("SELECT SUM(LEAST(n, 9)) AS n FROM (SELECT person, COUNT(*) AS n FROM visits GROUP BY person) t", 13),
    ],
)
def test_82_everything_is_compared_by_its_bytes(collated, sql, many):
    assert counts(collated, sql)[0] == many


@pytest.mark.parametrize("collation", COLLATIONS)
def test_82_one_person_moves_no_group_but_their_own(tmp_path, collation):
    common = [(f"p{number}", "north", "north", 20) for number in range(40)]
    theirs = [("P7", town, town, 50) for town in ("NORTH", "nórth", "north") for _ in range(3)]
    houses = [
        opened(tmp_path / name, collation, rows, [("p7", "a"), ("P7", "a")])
        for name, rows in (("without", common), ("having", [*theirs, *common]))
    ]
    towns = Towns(*houses)
    for sql in (
        "SELECT town, COUNT(*) AS n, SUM(age) AS a FROM visits GROUP BY town",
        "SELECT word, COUNT(*) AS n FROM visits GROUP BY word",
        "SELECT COUNT(DISTINCT word) AS n, COUNT(DISTINCT person) AS u FROM visits",
        "SELECT town, COUNT(*) AS n FROM visits v JOIN stays s ON v.person = s.person GROUP BY town",
        "SELECT COUNT(*) AS n FROM visits WHERE person IN (SELECT person FROM stays)",
        "SELECT MODE(town) AS n FROM visits",
    ):
        towns.total(sql)
    towns.close()


def test_82_a_set_is_compared_by_its_bytes(tmp_path):
    """A decomposed text is not found under its normal form, nor the other way round."""
    forms = [unicodedata.normalize(form, "Zürich") for form in ("NFC", "NFD")]
    visits = [(f"p{number}", "x", forms[number % 2], 20) for number in range(5)]
    with opened(tmp_path, "NOCASE", visits) as curator:
        with duckdb.connect(str(tmp_path / "data.duckdb")) as file:
            file.execute("INSERT INTO places VALUES (?, 5)", [forms[1]])
        among = "SELECT COUNT(*) AS n FROM visits WHERE word IN (SELECT name FROM places)"
        joined = "SELECT COUNT(*) AS n FROM visits JOIN places ON word = name"
        listed = f"SELECT COUNT(*) AS n FROM visits WHERE word IN ('{forms[1]}')"
        assert [counts(curator, sql)[0] for sql in (among, joined, listed)] == [2, 2, 2]
        grouped = "SELECT COUNT(*) AS n FROM (SELECT DISTINCT person, word FROM visits) t WHERE word = '{}'"
        assert [counts(curator, grouped.format(form))[0] for form in forms] == [3, 2]


ONE = "SELECT COUNT(*) AS n FROM visits"


@pytest.mark.parametrize(
    "kind",
    [
        "INTERVAL",
        "BIT",
        "TIME WITH TIME ZONE",
        "VARCHAR[]",
        "INTEGER[]",
        "INTEGER[2]",
        "STRUCT(a VARCHAR)",
        "MAP(VARCHAR, VARCHAR)",
        "UNION(a INTEGER, b VARCHAR)",
        "VARIANT",
    ],
)
def test_82_types_with_another_equality_name_no_unit(tmp_path, kind):
    with opened(tmp_path, "NOCASE", [], unit=kind) as curator:
        with pytest.raises(Refused) as refusal:
            curator.ask(ONE, epsilon=1)
        assert refusal.value.code == "unit-types"
        assert curator.budget().spent.epsilon == 0


@pytest.mark.parametrize(
    ("kind", "values", "units"),
    [
        ("ENUM('b', 'B')", ["b", "B", "b"], 2),
        ("JSON", ['{"a": 1}', '{"a":1}', '{"a": 1}'], 2),
        ("DOUBLE", [0.0, -0.0, float("nan"), float("nan"), 1.0], 3),
        ("DECIMAL(9, 2)", [1, 1.0, 2], 2),
        ("TIMESTAMP WITH TIME ZONE", ["2025-01-01 12:00+00", "2025-01-01 13:00+01", "2025-01-01 13:00+00"], 2),
        ("UUID", ["a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11"], 1),
        ("BLOB", [b"a", b"A", b"a"], 2),
        ("UHUGEINT", [1, 2**127, 1], 2),
    ],
)
def test_82_other_units_have_one_form(tmp_path, kind, values, units):
    visits = [(value, "x", "w", 3) for value in values]
    with opened(tmp_path, "NOCASE", visits, [(values[0], "a")], unit=kind) as curator:
        assert counts(curator, "SELECT COUNT(DISTINCT person) AS n FROM visits")[0] == units
        assert exact(curator, "SELECT word, COUNT(*) AS n FROM visits GROUP BY word")["units"] == {("w",): units}
        assert counts(curator, "SELECT COUNT(*) AS n FROM visits WHERE person IN (SELECT person FROM stays)")[0] >= 1
        assert counts(curator, "SELECT COUNT(*) AS n FROM visits v JOIN stays s ON v.person = s.person")[0] >= 1
