"""SQL that reaches past the statistics: refused from the text and the policy alone, in the same words on any data."""

import time
from contextlib import suppress
from fractions import Fraction
from itertools import pairwise
from math import exp, nextafter

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deniable.core.errors import Refused
from deniable.curator import Curator
from deniable.curator.factory import engine_of
from deniable.engines import Engine
from deniable.ledger import Ledger
from deniable.mechanisms import PartitionSelection
from deniable.planner import Spend, bind, parse, price
from deniable.policy import Policy
from tests.support.limits import LOOSE
from tests.support.neighbours import SOMEONE, exact, pair, row


@pytest.fixture(scope="module")
def neighbours(tmp_path_factory):
    """One table has a person who is alone with a word, and is in many groups."""
    rows = [
        row(SOMEONE, word="secret", town=town, cost=cost) for town in ("north", "south", None) for cost in (0.0, 500.0)
    ]
    found = pair(tmp_path_factory.mktemp("sql"), *rows, contribution=2)
    yield found
    found.close()


REFUSED = {
    32: [
        "SELECT COUNT(*) FROM visits WHERE random() < 0.5",
        "SELECT SUM(setseed(1)) FROM visits",
        "SELECT uuid(), COUNT(*) FROM visits",
    ],
    33: [
        "SELECT SUM(nextval('s')) FROM visits",
        "SELECT setval('s', 1), COUNT(*) FROM visits",
    ],
    34: ["SELECT COUNT(*) FROM visits WHERE pg_sleep(1)", "SELECT SUM(sleep_ms(1)) FROM visits"],
    35: [
        "SELECT COUNT(*) FROM read_csv('/etc/passwd')",
        "SELECT COUNT(*) FROM '/etc/passwd'",
        'SELECT COUNT(*) FROM "visits.parquet"',
        "SELECT COUNT(*) FROM glob('*')",
        "COPY visits TO 'x.csv'",
        "COPY (SELECT COUNT(*) FROM visits) TO 'x.csv'",
        "ATTACH 'x.db'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "EXPORT DATABASE 'x'",
        "IMPORT DATABASE 'x'",
        "SELECT COUNT(*) INTO other FROM visits",
        "CREATE TABLE x AS SELECT COUNT(*) FROM visits",
    ],
    36: [
        "SELECT java_method('java.lang.System', 'exit', age), COUNT(*) FROM visits",
        "SELECT COUNT(*) FROM visits WHERE reflect('x', 'y')",
        "CREATE MACRO f(x) AS x",
        "SELECT COUNT(*) FROM visits WHERE list_transform([1], x -> x) IS NULL",
        "SELECT SUM(my_function(age)) FROM visits",
    ],
    37: [
        "EXPLAIN SELECT COUNT(*) FROM visits",
        "EXPLAIN ANALYZE SELECT COUNT(*) FROM visits",
        "ANALYZE visits",
        "DESCRIBE visits",
        "SUMMARIZE visits",
        "SHOW TABLES",
    ],
    38: [
        "SELECT COUNT(*) FROM information_schema.tables",
        "SELECT COUNT(*) FROM duckdb_tables()",
        "SELECT COUNT(*) FROM pg_stats",
        "SELECT COUNT(*) FROM pragma_storage_info('visits')",
        "SELECT COUNT(*) FROM parquet_metadata('visits.parquet')",
        "SELECT COUNT(*) FROM visits WHERE current_setting('x') = 'y'",
        "SELECT COUNT(*) FROM visits WHERE rowid = 3",
        "SELECT COUNT(*) FROM visits WHERE filename = 'x'",
    ],
    39: [
        "PRAGMA database_list",
        "SET memory_limit = '1GB'",
        "RESET memory_limit",
        "USE other",
        "CHECKPOINT",
        "BEGIN",
        "CALL f()",
        "VACUUM",
    ],
    40: [
        "SELECT COUNT(*) FROM visits; SELECT COUNT(*) FROM visits",
        "SELECT COUNT(*) FROM visits; DROP TABLE visits",
        "SELECT age FROM visits UNION ALL SELECT age FROM visits",
        "FROM visits",
        "VALUES (1)",
        "SELECT COUNT(*) FROM visits /* unfinished",
        "SELECT COUNT(*) FROM visits WHERE word = 'unfinished",
        "SELECT COUNT(*) FROM visits WHERE word = E'\\x27'",
        "SELECT COUNT(*) FROM visits WHERE word = $$x$$",
        "SELECT COUNT(*) FROM visits WHERE age = ?",
        "SELECT COUNT(*) FROM visits WHERE age = $1",
        "SELECT COUNT(*) FROM visits WHERE age = :age",
        "SELECT COUNT(*) FROM visits AT (VERSION => 1)",
        "SELECT COUNT(*) FROM visits FOR UPDATE",
    ],
    41: [
        "SELECT * FROM visits",
        "SELECT visits.* FROM visits",
        "SELECT age FROM visits",
        "SELECT COLUMNS(*) FROM visits",
        "SELECT *, COUNT(*) FROM visits",
        "SELECT visits, COUNT(*) FROM visits",
    ],
    42: [
        "SELECT COUNT(*) FROM (SELECT * FROM visits ORDER BY cost LIMIT 1)",
        "SELECT COUNT(*) FROM (SELECT * FROM visits LIMIT 1)",
        "SELECT SUM(age ORDER BY cost) FROM visits",
        "SELECT FIRST(age) FROM visits",
        "SELECT ARG_MAX(age, cost) FROM visits",
        "SELECT COUNT(*) FROM visits LIMIT age",
    ],
    43: [
        "SELECT COUNT(*) OVER () FROM visits",
        "SELECT SUM(age) OVER (PARTITION BY town) FROM visits",
        "SELECT age FROM visits QUALIFY ROW_NUMBER() OVER () = 1",
        "SELECT COUNT(*) FROM visits QUALIFY ROW_NUMBER() OVER (ORDER BY age) = 1",
        "SELECT town, SUM(COUNT(*)) OVER (ORDER BY cost) FROM visits GROUP BY town",
        "SELECT LAG(age) OVER (ORDER BY cost), COUNT(*) FROM visits",
    ],
    44: [
        "SELECT DISTINCT town FROM visits WHERE age > 50",
        "SELECT DISTINCT ON (town) COUNT(*) FROM visits",
    ],
    45: [
        "SELECT COUNT(*) FROM visits JOIN visits AS w ON TRUE",
        "SELECT COUNT(*) FROM visits, visits AS w",
        "SELECT COUNT(*) FROM visits, UNNEST([1, 2, 3])",
    ],
    46: [
        "SELECT COUNT(*) FROM visits JOIN visits AS w USING (age)",
        "SELECT COUNT(*) FROM visits SEMI JOIN visits AS w USING (person)",
    ],
    47: ["SELECT COUNT(*) FROM visits LEFT JOIN visits AS w ON visits.person = w.age WHERE w.age IS NULL"],
    48: [
        "SELECT COUNT(*) FROM (SELECT age FROM visits UNION SELECT age FROM visits)",
        "WITH w AS (SELECT age FROM visits UNION SELECT cost FROM visits) SELECT COUNT(*) FROM w",
    ],
    49: [
        "SELECT COUNT(*) FROM visits AS v WHERE EXISTS (SELECT 1 FROM visits WHERE age = v.age)",
        "SELECT COUNT(*) FROM visits WHERE age IN (SELECT age FROM visits)",
        "SELECT COUNT(*) FROM visits WHERE age > ALL (SELECT age FROM visits)",
    ],
    50: [
        "SELECT town, COUNT(*) FROM visits GROUP BY town HAVING MAX(serial) > 5",
        "SELECT town, COUNT(*) FROM visits GROUP BY town HAVING cost > 5",
        "SELECT COUNT(*) FROM visits WHERE COUNT(*) > 3",
    ],
    55: [
        "SELECT RANK() OVER (ORDER BY age), COUNT(*) FROM visits",
        "SELECT NTILE(4) OVER (ORDER BY age) AS k, COUNT(*) FROM visits GROUP BY k",
        "SELECT COUNT(*) FROM visits GROUP BY width_bucket(age, MIN(age), MAX(age), 3)",
        "SELECT COUNT(*) FROM visits GROUP BY cut(age)",
    ],
    56: [
        "SELECT MIN(serial) FROM visits",
        "SELECT MAX(word) FROM visits",
        "SELECT MEDIAN(moment) FROM visits",
        "SELECT QUANTILE_CONT(age, cost) FROM visits",
        "SELECT MODE(word) FROM visits",
    ],
    59: [
        "SELECT SUM(LEAST(cost, (SELECT MAX(cost) FROM visits))) FROM visits",
        "SELECT SUM(LEAST(serial, MAX(serial))) FROM visits",
        "SELECT SUM(serial) / MAX(serial) FROM visits",
    ],
}


@pytest.mark.parametrize("line", REFUSED, ids=lambda line: f"{line:02}")
def test_refused_by_line(neighbours, line, monkeypatch):
    monkeypatch.setattr(Engine, "run", lambda *_: pytest.fail("data was read"))
    for sql in REFUSED[line]:
        neighbours.refused(sql)


@pytest.mark.parametrize("now", ["now()", "current_date", "today()"])
def test_33_the_clock_is_a_constant(neighbours, now):
    neighbours.total(f"SELECT COUNT(*) AS n FROM visits WHERE {now} > day")


def test_44_a_sum_of_different_values_is_bounded(neighbours):
    neighbours.total("SELECT SUM(DISTINCT age) AS s FROM visits")


def test_42_order_and_limit_after_the_noise_are_free(neighbours):
    spent = neighbours.having.budget().spent
    first = neighbours.having.ask("SELECT town, COUNT(*) AS n FROM visits GROUP BY town", epsilon=1)
    sorted_one = neighbours.having.ask(
        "SELECT town, COUNT(*) AS n FROM visits GROUP BY town ORDER BY n LIMIT 2", epsilon=1
    )
    assert (first.free, sorted_one.free) == (False, True)
    assert sorted_one.table["n"].to_pylist() == sorted(first.table["n"].to_pylist())[:2]
    assert neighbours.having.budget().spent.epsilon == spent.epsilon + 1


def test_50_having_looks_at_the_noisy_answer(neighbours):
    base = "SELECT town, COUNT(*) AS n FROM visits GROUP BY town"
    everything = neighbours.having.ask(base, epsilon="0.7").table.to_pylist()
    some = neighbours.having.ask(f"{base} HAVING COUNT(*) > 5", epsilon="0.7")
    assert some.free
    assert some.table.to_pylist() == [found for found in everything if found["n"] > 5]


def test_51_rare_keys_stay_hidden(neighbours):
    sql = "SELECT word, COUNT(*) AS n FROM visits GROUP BY word"
    neighbours.refused(sql, "private-keys", epsilon=1)
    assert ("secret",) in exact(neighbours.having, sql)["units"]
    found = neighbours.same(sql, epsilon=5, delta="1e-9")
    assert found.status == "answered"
    shown = neighbours.having.ask(sql, epsilon=5, delta="1e-9").table["word"].to_pylist()
    assert "secret" not in shown  # a false alarm in one of 2e9 runs
    assert neighbours.distance(sql) <= 1


def test_51_keys_made_of_rows_are_private(neighbours):
    for key in (
        "word || town",
        "SUBSTRING(word, 1, 1)",
        "CONCAT(word, '!')",
        "CAST(age AS VARCHAR)",
        "COALESCE(word, 'x')",
        "serial",
    ):
        neighbours.refused(f"SELECT {key} AS k, COUNT(*) FROM visits GROUP BY 1", "private-keys")


def test_51_units_under_private_keys_count_in_few_groups(tmp_path):
    rows = [row(SOMEONE, word=f"word {number}") for number in range(30)]
    houses = pair(tmp_path, *rows, contribution=3)
    assert houses.distance("SELECT word, COUNT(DISTINCT person), COUNT(*) FROM visits GROUP BY word") == 1
    houses.close()


@pytest.mark.parametrize("partitions", [1, 3])
def test_52_the_chance_of_a_rare_key_is_within_delta(partitions):
    rule = PartitionSelection(epsilon="0.5", delta="1e-5", partitions=partitions)
    chances = [Fraction(chance, 1 << 64) for chance in rule._table]
    assert chances[0] == 0
    assert chances[1] <= Fraction(1, 10**5 * partitions)
    growth = Fraction(nextafter(exp(0.5 / partitions), 2))
    for fewer, more in pairwise(chances):
        assert more <= growth * fewer + rule.delta / partitions
        assert 1 - fewer <= growth * (1 - more) + rule.delta / partitions


@pytest.mark.parametrize(
    "key",
    [
        "CASE WHEN word = 'secret' THEN town END",
        "COALESCE(town, 'south')",
        "LENGTH(word) % 2",
        "urgent AND TRUE",
        "age - age",
    ],
)
def test_53_a_key_redefined_is_bounded_again(neighbours, key):
    neighbours.total(
        f"SELECT {key} AS k, COUNT(*) AS n, SUM(cost) AS a, COUNT(DISTINCT person) AS u FROM visits GROUP BY 1"
    )


@pytest.mark.parametrize(
    "value",
    [
        "cost * 1e6",
        "CASE WHEN word = 'secret' THEN 1e9 ELSE 0 END",
        "cost * cost - 3 * score",
        "LEAST(GREATEST(serial * 1e12, -1), 1)",
        "COALESCE(NULLIF(cost, 0), 499)",
        "ROUND(cost * 7, -2)",
        "EXP(age / 10)",
    ],
)
def test_54_an_expression_is_clamped_after_it_is_computed(neighbours, value):
    neighbours.total(f"SELECT SUM({value}) AS a FROM visits")
    neighbours.total(f"SELECT AVG({value}) AS a, COUNT(*) AS n FROM visits")


@pytest.mark.parametrize(
    ("columns", "parts"),
    [
        ("AVG(cost)", 1),
        ("VAR_SAMP(cost)", 1),
        ("CORR(cost, age)", 1),
        ("STDDEV(cost), AVG(cost), SUM(cost), COUNT(cost)", 3),
        ("COUNT(*), COUNT(cost)", 2),
        ("AVG(cost), AVG(cost) FILTER (WHERE urgent)", 3),
    ],
)
def test_57_every_part_is_charged(neighbours, columns, parts):
    """A count and a sum of the same rows are one part: both ends of the bounds, between which each row is divided.

    So are the sums of a variance or a correlation: Bernstein's polynomials, between which each row is divided.
    """
    plan = price(bind(parse(f"SELECT {columns} FROM visits"), neighbours.without.policy), Spend.of(epsilon=1))
    assert len(plan.noise) == len(plan.events) == parts
    assert sum(part.loss.epsilon for part in plan.noise) == plan.quote.loss.epsilon == 1
    neighbours.total(f"SELECT {columns} FROM visits")


def test_58_ten_thousand_columns(neighbours):
    neighbours.refused(f"SELECT {', '.join(['COUNT(*)'] * 10_000)} FROM visits", "too-long")
    neighbours.refused(
        f"SELECT {', '.join(f'SUM(age+{place})' for place in range(1_000))} FROM visits", "too-many-statistics"
    )
    plan = price(
        bind(
            parse(f"SELECT {', '.join(f'COUNT(*) AS c{place}' for place in range(900))} FROM visits"),
            neighbours.without.policy,
        ),
        Spend.of(epsilon=1),
    )
    assert len(plan.noise) == 1


_LIST = ",".join(map(str, range(1_500)))
_BRANCHES = " ".join(f"WHEN age = {place} THEN urgent" for place in range(300))
LARGE = {
    "a million groups": "SELECT {} FROM visits GROUP BY day, age // 6, urgent, FLOOR(heat / 30)",
    "two lists": f"SELECT {{}} FROM visits WHERE age IN ({_LIST}) AND age IN ({_LIST}) GROUP BY age",
    "many branches": f"SELECT {{}} FROM visits GROUP BY CASE {_BRANCHES} END",
    "nested brackets": f"SELECT {{}}, {'(' * 50}1{')' * 50} FROM visits",
    "nested comments": "SELECT {} FROM visits " + "/*" * 2_000 + "*/" * 2_000,
    "unfinished cases": "SELECT {} FROM visits WHERE " + "CASE WHEN " * 500,
    "unfinished calls": "SELECT {} FROM visits WHERE " + "f(" * 58,
    "quotes": "SELECT {} FROM visits WHERE word = '" + "''" * 4_000 + "'",
}


@pytest.mark.parametrize("name", LARGE)
def test_planning_stays_quick(neighbours, name):
    columns = ", ".join(f"SUM(age + {place})" for place in range(90))
    start = time.process_time()
    with suppress(Refused):
        neighbours.without.explain(LARGE[name].format(columns), epsilon=1)
    assert time.process_time() - start < 5


@pytest.mark.parametrize(
    "word",
    [
        "'",
        "''",
        '"',
        "\\",
        "--",
        "/*",
        "*/",
        ";",
        "\x00",
        "\x00'; --",
        "%",
        "é",
        "\u202e",
        "\n",
        "x" * 9_000,
        "{}",
        "r.age",
    ],
)
def test_constants_are_data_and_nothing_else(neighbours, word):
    literal = "'" + word.replace("'", "''") + "'"
    neighbours.total(f"SELECT COUNT(*) AS n FROM visits WHERE word = {literal}")
    neighbours.total(f"SELECT CASE WHEN urgent THEN {literal} END AS k, COUNT(*) AS n FROM visits GROUP BY 1")
    (found,) = exact(neighbours.having, f"SELECT COUNT(*) FROM visits WHERE word = {literal}").values()
    assert set(found.values()) == {0}


NAMES = ['"', '""', "'; --", "r", "k0", "unit", "weight", "units", "parts", "heavy", "é", "a.b", "SELECT", "/*"]


def test_names_are_data_and_nothing_else(tmp_path):
    """Columns and tables may be called anything."""
    tables = {}
    for place, name in enumerate(NAMES):
        pq.write_table(pa.table({name: [1, 2, 2], "person": [1, 2, 2]}), tmp_path / f"{place}.parquet")
        columns = {name: {"type": "integer", "bounds": [0, 3]}, "person": {"type": "integer"}}
        tables[name] = {"source": f"{place}.parquet", "columns": columns, "unit": "person", "contribution": 1}
    data = {"population": {"name": "x"}, "budget": {"epsilon": 10**8}, "limits": LOOSE, "tables": tables}
    policy = Policy.from_mapping(data, origin="x", folder=tmp_path)
    with Curator(policy, engine_of(policy), Ledger.memory("x")) as curator:
        for name in NAMES:
            quoted = '"' + name.replace('"', '""') + '"'
            sql = f"SELECT {quoted} AS k, COUNT(*) AS n FROM {quoted} GROUP BY {quoted}"
            assert curator.ask(sql, epsilon=10**6).table["n"].to_pylist() == [0, 1, 1, 0, 0]
