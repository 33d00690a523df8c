"""Totals and their parts, made to agree after the noise: free, named, exact in their sums, and refused where untrue."""

from collections import defaultdict

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deniable.core.errors import Refused
from deniable.curator import Curator
from deniable.curator.factory import engine_of
from deniable.ledger import Ledger
from deniable.policy import Policy
from tests.support.curators import curator, silence
from tests.support.tables import REGIONS, policy, visits

KNOWN = "WHERE region IN ('north', 'east', 'south', 'west')"
ROLLUP = f"""
    SELECT region, urgent, COUNT(*) AS n, SUM(cost) AS s, AVG(cost) AS m, SUM(age) AS a, GROUPING(region, urgent) AS g
    FROM visits {KNOWN} GROUP BY ROLLUP (region, urgent)"""
URGENT = "SELECT urgent, COUNT(*) AS n FROM visits GROUP BY urgent"
OLD = "SELECT urgent, age > 9 AS old, COUNT(*) AS n FROM visits GROUP BY 1, 2"
SPENDS = [{"epsilon": 1}, {"rho": "0.05"}]


@pytest.fixture(params=[3, None], ids=["people", "rows"])
def house(request, tmp_path):
    asked = curator(tmp_path, visits(400, seed=2), policy(tmp_path, contribution=request.param))
    yield asked
    asked.close()


def sums(rows, keys, column):
    """What a column adds up to, by these keys."""
    found = defaultdict(float)
    for row in rows:
        found[tuple(row[key] for key in keys)] += row[column]
    return dict(found)


def by_set(rows):
    found = defaultdict(list)
    for row in rows:
        found[row["g"]].append(row)
    return found


@pytest.mark.parametrize("spend", SPENDS, ids=str)
def test_totals_are_the_sums_of_their_parts_to_the_last_digit(house, spend):
    plain = house.ask(ROLLUP, **spend)
    shown = house.ask(ROLLUP, **spend, after="consistent")
    assert shown.free
    for answer, agrees in ((plain, False), (shown, True)):
        sets = by_set(answer.table.to_pylist())
        for column in ("n", "s", "a"):
            total = {(): sets[3][0][column]}
            middle = {(row["region"],): row[column] for row in sets[1]}
            assert (sums(sets[0], ["region"], column) == middle) is agrees
            assert (sums(sets[0], [], column) == sums(sets[1], [], column) == total) is agrees


@pytest.mark.parametrize(
    "sets", ["CUBE (region, urgent)", "GROUPING SETS ((urgent), (region))", "GROUPING SETS ((region, urgent), ())"]
)
def test_so_are_those_of_other_sets(house, sets):
    sql = f"SELECT region, urgent, COUNT(*) AS n, GROUPING(region, urgent) AS g FROM visits {KNOWN} GROUP BY {sets}"
    tables = by_set(house.ask(sql, epsilon=1, after=["consistent"]).table.to_pylist())
    assert len({sum(row["n"] for row in rows) for rows in tables.values()}) == 1
    if "CUBE" in sets:
        for key, place in (("region", 1), ("urgent", 2)):
            assert sums(tables[0], [key], "n") == {(row[key],): row["n"] for row in tables[place]}


def test_totals_and_parts_of_an_outer_query_too(house):
    """A share of the total, where both are asked for in subqueries: shares of all parts make one."""
    part, total = (f"SELECT {keys} COUNT(*) AS n FROM visits {KNOWN}" for keys in ("region,", ""))
    sql = f"SELECT p.region, p.n / t.n AS share FROM ({part} GROUP BY region) p CROSS JOIN ({total}) t"
    shares = house.ask(sql, epsilon="0.5", after="consistent").table["share"].to_pylist()
    assert sum(shares) == pytest.approx(1, abs=1e-12)
    # that noise of a scale above 20 adds up by itself has a chance below 1/40, five times below 1e-7
    plain = [house.ask(sql, epsilon=f"0.0{place}").table["share"].to_pylist() for place in range(45, 50)]
    assert any(sum(shares) != pytest.approx(1, abs=1e-12) for shares in plain)


@pytest.mark.parametrize("spend", SPENDS, ids=str)
def test_without_noise_nothing_changes(house, spend, monkeypatch):
    silence(monkeypatch)
    plain, shown = house.ask(ROLLUP, **spend).table, house.ask(ROLLUP, **spend, after="consistent").table
    for column in plain.column_names:
        before, now = (table[column].to_pylist() for table in (plain, shown))
        # what a person weighs is no whole number, so counts of people are rounded, and sums keep the digits of doubles
        near = 2 if column == "n" and house.policy.tables["visits"].unit else 1e-6
        for one, other in zip(before, now, strict=True):
            assert other == (pytest.approx(one, rel=1e-9, abs=near) if isinstance(one, float | int) else one)


def test_an_empty_group_has_no_average(tmp_path, monkeypatch):
    """In doubles, what least squares leave of nothing need not be nothing."""
    silence(monkeypatch)
    rules = policy(tmp_path, contribution=None)
    sql = "SELECT age // 40 AS old, EXTRACT(month FROM day) AS month, AVG(cost) AS mean FROM visits"
    sql += " GROUP BY CUBE (1, 2)"
    with curator(tmp_path, visits(20, seed=5), rules) as asked:
        plain, shown = (asked.ask(sql, epsilon=1, after=after).table.to_pylist() for after in ([], ["consistent"]))
    empty = [row for row in plain if row["mean"] is None]
    assert len(empty) > 5
    assert [row for row in shown if row["mean"] is None] == empty


@pytest.mark.parametrize("spend", SPENDS, ids=str)
def test_intervals_are_those_of_the_noise_of_all_sets_and_hold_what_is_shown(house, spend):
    plain, shown = (house.ask(ROLLUP, **spend, after=after) for after in ((), "consistent"))
    for before, now in zip(plain.with_intervals.to_pylist(), shown.with_intervals.to_pylist(), strict=True):
        for column in ("n", "s", "a"):
            assert now[f"{column}_low"] <= now[column] <= now[f"{column}_high"]
            width, was = (row[f"{column}_high"] - row[f"{column}_low"] for row in (now, before))
            assert width <= was + 1  # counts are rounded outward


def test_the_answer_and_the_quote_say_what_was_done(house):
    sql = f"SELECT region, COUNT(*) AS n, MEDIAN(age) AS x FROM visits {KNOWN} GROUP BY ROLLUP (region)"
    plain = house.ask(sql, epsilon=1)
    for told in (house.ask(sql, epsilon=1, after="consistent"), house.explain(sql, epsilon=1, after="consistent")):
        new = told.notes[len(plain.notes) :]
        assert new[0].startswith("consistent, after the noise: ")
        assert new[1] == "quoted errors are those before it"
        assert "left as it is: median(age)" in new[2]
    assert house.ask(sql, epsilon=1, after="consistent").table["x"] == plain.table["x"]


def test_only_who_is_in_the_groups_is_in_the_total(house):
    """Some rows have no region: they are a group of their own where nothing says that they are not asked for."""
    sql = "SELECT urgent, COUNT(*) AS n, GROUPING(urgent) AS g FROM visits GROUP BY ROLLUP (urgent)"
    tables = by_set(house.ask(sql, epsilon=1, after="consistent").table.to_pylist())
    assert sum(row["n"] for row in tables[0]) == tables[1][0]["n"]
    ages = "SELECT age // 10 AS decade, COUNT(*) AS n, GROUPING(age // 10) AS g FROM visits GROUP BY ROLLUP (age // 10)"
    tables = by_set(house.ask(ages, epsilon=1, after="consistent").table.to_pylist())
    assert sum(row["n"] for row in tables[0]) == tables[1][0]["n"]


@pytest.mark.parametrize(
    ("sql", "words", "why"),
    [
        ("SELECT region, COUNT(*) AS n FROM visits GROUP BY region", {}, "one set of keys"),
        ("SELECT COUNT(*) AS n FROM visits", {}, "one set of keys"),
        ("SELECT region, COUNT(*) AS n FROM visits GROUP BY ROLLUP (region)", {}, "the policy does not declare"),
        ("SELECT reason, COUNT(*) AS n FROM visits GROUP BY ROLLUP (reason)", {"delta": "1e-7"}, "private keys"),
        (f"SELECT region, MEDIAN(age) AS x FROM visits {KNOWN} GROUP BY ROLLUP (region)", {}, "no sums"),
        ("SELECT MAX(n) AS x FROM (SELECT urgent, COUNT(*) AS n FROM visits GROUP BY urgent)", {}, "a total of"),
        (
            f"{URGENT} UNION ALL SELECT NULL, COUNT(*) FROM visits WHERE age > 20",
            {},
            "the same rows",
        ),
        (
            f"{URGENT} UNION ALL SELECT NULL, SUM(age) FROM visits",
            {},
            "add up the same",
        ),
        (
            f"SELECT urgent, n FROM ({OLD}) a UNION ALL SELECT urgent, n FROM ({OLD.replace('1, 2', '2, 1')}) b",
            {},
            "asked for twice",
        ),
        (
            f"SELECT region, COUNT(*) AS n FROM visits {KNOWN} AND region IN ('centre') GROUP BY ROLLUP (region)",
            {},
            "there are no groups",
        ),
        (ROLLUP, {"after": "consistent, whole"}, "neither"),
        (ROLLUP, {"simultaneous": True}, "neither"),
    ],
)
def test_what_cannot_be_made_consistent_is_refused_before_it_costs(house, sql, words, why):
    spent = house.budget().spent
    with pytest.raises(Refused, match=why) as caught:
        house.ask(sql, **{"epsilon": 1, "after": "consistent", **words})
    assert caught.value.hint
    assert house.budget().spent == spent


def test_rows_with_undeclared_values_would_have_made_it_wrong(house, tmp_path, monkeypatch):
    """They are in the total and in no group: so the refusal, and the condition that its hint names."""
    silence(monkeypatch)
    odd = visits(400, seed=2).set_column(4, "region", pa.array(["elsewhere", *REGIONS] * 80))
    other = curator(tmp_path, odd, house.policy)
    sql = "SELECT region, COUNT(*) AS n, GROUPING(region) AS g FROM visits {} GROUP BY ROLLUP (region)"
    tables = by_set(other.ask(sql.format(""), epsilon=1).table.to_pylist())
    assert sum(row["n"] for row in tables[0]) < tables[1][0]["n"]
    with pytest.raises(Refused, match="in the total and in no group") as caught:
        other.ask(sql.format(""), epsilon=1, after="consistent")
    assert caught.value.hint.startswith("Leave them out everywhere: WHERE region IN ('north', 'east', 'south', ")
    tables = by_set(other.ask(sql.format(KNOWN), epsilon=1, after="consistent").table.to_pylist())
    assert sum(row["n"] for row in tables[0]) == tables[1][0]["n"]
    other.close()


def test_a_batch_needs_totals_in_each_question(house):
    found = house.ask_all([ROLLUP, ROLLUP.replace("cost", "score")], epsilon=1, after="consistent")
    for answer in found:
        tables = by_set(answer.table.to_pylist())
        assert sum(row["n"] for row in tables[0]) == tables[3][0]["n"]
    with pytest.raises(Refused, match="a total of"):
        house.ask_all([ROLLUP, "SELECT COUNT(*) AS n FROM visits"], epsilon=1, after="consistent")


def test_groups_of_a_reconciled_answer_are_compared_with_shared_noise(house):
    """Their noises are not independent any more, so both intervals hold at once."""
    sql = f"SELECT region, COUNT(*) AS n FROM visits {KNOWN} GROUP BY ROLLUP (region)"
    inner = next(one for one in house.ask(sql, epsilon=1, after="consistent").inner if one.table.num_rows > 1)
    (row,) = inner.compare("north", "south").to_pylist()
    ends = inner.intervals_at("0.975").to_pylist()
    north, south = (ends[inner.table["region"].to_pylist().index(name)] for name in ("north", "south"))
    (low,) = [name for name in north if name.endswith("_low")]
    high = low.replace("_low", "_high")
    assert row["low"] == pytest.approx(north[low] - south[high], abs=2)
    assert row["high"] == pytest.approx(north[high] - south[low], abs=2)


@pytest.fixture
def shops(tmp_path):
    """Purchases in shops; a public table says where these are."""
    rows = range(400)
    bought = {"person": [row // 3 for row in rows], "shop": [1 + row % 4 for row in rows]}
    bought["size"] = [row % 8 for row in rows]
    pq.write_table(pa.table(bought), tmp_path / "bought.parquet")
    there = {"id": [1, 2, 3, 4], "town": ["Bonn", "Jena", "Ulm", "Ulm"], "state": ["NW", "TH", "BW", "BW"]}
    pq.write_table(pa.table(there), tmp_path / "shops.parquet")
    whole = {"type": "integer", "bounds": [0, 7], "nulls": False}
    columns = {"person": {"type": "integer"}, "shop": whole, "size": whole | {"values": [1, 2, 3]}}
    text = {"type": "text", "nulls": False}
    rules = Policy.from_mapping(
        {
            "population": {"name": "tests"},
            "budget": {"epsilon": 100},
            "tables": {
                "bought": {"source": "bought.parquet", "unit": "person", "contribution": 3, "columns": columns},
                "shops": {
                    "source": "shops.parquet",
                    "public": True,
                    "key": "id",
                    "columns": {"id": whole, "town": text, "state": text},
                },
            },
        },
        origin="tests",
        folder=tmp_path,
    )
    asked = Curator(rules, engine_of(rules), Ledger.memory(rules.population))
    yield asked
    asked.close()


BOUGHT = "SELECT {keys}, COUNT(*) AS n FROM bought JOIN shops ON shop = id WHERE {where} GROUP BY ROLLUP ({keys})"
TOWNS = "town IN ('Bonn', 'Jena', 'Ulm')"


@pytest.mark.parametrize(
    ("keys", "where", "why"),
    [
        ("size", "size >= 0", "does not declare"),
        ("town", "size > 1", "does not declare"),
        ("state, town", f"{TOWNS} AND state IN ('NW', 'TH', 'BW')", "follow from each other"),
        ("town, shop", TOWNS, "follow from each other"),
        ("size", "size BETWEEN 1 AND 3", None),
        ("shop", "size > 1", None),
        ("town, size", f"{TOWNS} AND size IN (1, 2)", None),
    ],
)
def test_groups_that_leave_rows_out_are_refused(shops, keys, where, why):
    """By values that are declared and not asked for, or because a public table rules them out."""
    sql = BOUGHT.format(keys=keys, where=where)
    if why is not None:
        with pytest.raises(Refused, match=why):
            shops.ask(sql, epsilon=1, after="consistent")
        return
    rows = shops.ask(sql, epsilon=1, after="consistent").table.to_pylist()
    first, *others = keys.split(", ")
    parts = [row["n"] for row in rows if row[first] is not None and all(row[key] is not None for key in others)]
    (total,) = [row["n"] for row in rows if row[first] is None]
    assert len(parts) > 1
    assert sum(parts) == total
