"""Claims are kept and reached: rows at both ends of random bounds, one unit that is as extreme as it can be.

Random neighbours are rarely extreme, so that a claim which is a third too small passes by them. Here nothing but
extremes is measured: the farthest row of every sum, square and product is exactly what is claimed for it.
"""

from fractions import Fraction
from itertools import permutations, product

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from deniable.curator.factory import engine_of
from deniable.planner import Spend, plan_question
from deniable.planner.plan import singly
from deniable.policy import Policy
from tests.support.limits import LOOSE
from tests.support.neighbours import exact_vectors, moved

MOMENTS = "AVG(x), VARIANCE(x), AVG(y), COVAR_POP(x, y)"
SEVERAL = ", ".join(f"QUANTILE_CONT(x, {place / 40})" for place in range(2, 38))
"""So many that they come from running counts, whichever noise these have."""
RUNNING = "running counts for 36 quantiles"
SCHEMA = pa.schema(
    [*((name, pa.int64()) for name in ("who", "x", "y", "place")), ("word", pa.string()), ("side", pa.bool_())]
)
PRIVATE = "SELECT word, COUNT(DISTINCT who) AS people, SUM(x) AS s, COUNT(*) AS n FROM t0 GROUP BY word"

ends = st.tuples(st.integers(-9, 9), st.integers(1, 12)).map(lambda ends: (ends[0], ends[0] + ends[1]))


def row(who=0, x=0, y=0, place=0, word="a"):
    return {"who": who, "x": x, "y": y, "place": place, "word": word, "side": place > 0}


def rules(folder, worlds, x, y, neighbours="add-remove", **table):
    """Tables of two numbers within these bounds, one for each world, with these rows."""
    bounds = {"x": x, "y": y, "place": (0, 63)}
    columns = {name: {"type": "integer", "bounds": list(ends), "nulls": False} for name, ends in bounds.items()}
    columns |= {"who": {"type": "integer"}, "word": {"type": "text"}, "side": {"type": "boolean", "nulls": False}}
    for number, rows in enumerate(worlds):
        pq.write_table(pa.Table.from_pylist(rows, schema=SCHEMA), folder / f"t{number}.parquet")
    declared = {"columns": columns, **table}
    return Policy.from_mapping(
        {
            "population": {"name": "ends", "neighbours": neighbours},
            "budget": {"epsilon": 10**6, "delta": 1e-6, "delta_for_keys": 5e-7},
            "limits": LOOSE,
            "tables": {f"t{place}": {"source": f"t{place}.parquet", **declared} for place in range(len(worlds))},
        },
        origin="ends",
        folder=folder,
    )


def measured(policy, texts):
    """For each world and question, its plan and its exact whole numbers."""
    engine = engine_of(policy)
    try:
        found = []
        for name in policy.tables:
            own = [text.replace("FROM t", f"FROM {name}") for text in texts]
            plans = [plan_question(text, policy, Spend.of(epsilon=1)) for text in own]
            found.append([(plan, exact_vectors(engine, plan)) for plan in plans])
        return found
    finally:
        engine.close()


@given(one=ends, other=ends)
@settings(max_examples=6, deadline=None)
def test_the_farthest_row_is_what_is_claimed(tmp_path_factory, one, other):
    """Each place holds one row, at an end or near the middle: so each number is what that row adds."""
    spots = [sorted({low, high, (low + high) // 2, (low + high + 1) // 2}) for low, high in (one, other)]
    rows = [row(x=x, y=y, place=place) for place, (x, y) in enumerate(product(*spots))]
    policy = rules(tmp_path_factory.mktemp("ends"), [rows], one, other)
    texts = [f"SELECT {columns} FROM t GROUP BY place" for columns in ("SUM(x), SUM(y)", f"{MOMENTS}, COUNT(*)")]
    for plan, numbers in measured(policy, texts)[0]:
        for part in singly(plan.noise):
            assert max(abs(int(number)) for number in numbers[part.statistic.name]) == part.mechanism.sensitivity


@given(bounds=ends, contribution=st.integers(1, 4), more=st.integers(0, 3))
@example(bounds=(0, 3), contribution=2, more=1)  # one row more than a unit may have
@settings(max_examples=4, deadline=None)
def test_the_heaviest_unit_is_what_is_claimed(tmp_path_factory, bounds, contribution, more):
    """A unit with all the rows that it may have, and a few more, at one end: in one place, or one in each."""
    spread = [(end, apart) for end in bounds for apart in (False, True)]
    worlds = [[row(1, end, end, place * apart) for place in range(contribution + more)] for end, apart in spread]
    # different values, for the counts of these
    worlds.append([row(1, bounds[0] + place % (bounds[1] - bounds[0] + 1), 0, place) for place in range(12)])
    person = {"unit": "who", "contribution": contribution}
    policy = rules(tmp_path_factory.mktemp("units"), worlds, bounds, (-9, 30), **person)
    columns = ["SUM(x), SUM(y)", f"{MOMENTS}, COUNT(*)", "COUNT(DISTINCT who)", "COUNT(DISTINCT place)"]
    texts = [f"SELECT {text} FROM t{group}" for text in columns for group in ("", " GROUP BY side")]
    reached = {}
    for world in measured(policy, texts):
        for plan, numbers in world:
            for part in singly(plan.noise):
                far = Fraction(sum(abs(int(number)) for number in numbers[part.statistic.name]))
                far /= part.mechanism.sensitivity
                assert far <= 1
                reached[part.label] = max(reached.get(part.label, Fraction(0)), far)
    assert all(reached[label] > Fraction(999, 1000) for label in ("count", "units", "values"))


@pytest.mark.parametrize("unit", [None, 2])
@pytest.mark.parametrize("relation", ["add-remove", "replace"])
def test_one_extreme_unit_moves_each_statistic_by_the_claim(tmp_path, relation, unit):
    """Nobody against one unit at an end of one of two groups; under replace, each such unit against each other."""
    person = {} if unit is None else {"unit": "who", "contribution": unit}
    corners = [(0, -5, 0), (4096, 5, 0), (0, 5, 63), (4096, -5, 63)]
    worlds = [[], *([row(1, x, y, place)] * (unit or 1) for x, y, place in corners)]
    policy = rules(tmp_path, worlds, (0, 4096), (-5, 5), relation, **person)
    columns = [f"COUNT(*), SUM(y), {MOMENTS}, MODE(y > 0)", SEVERAL, "QUANTILE_CONT(x, 0.1)", "MEDIAN(x)"]
    texts = [f"SELECT {text} FROM t{group}" for text in columns for group in ("", " GROUP BY side")]
    pairs = [(0, one) for one in range(1, len(worlds))]
    if relation == "replace":
        pairs = list(permutations(range(1, len(worlds)), 2))
    numbers, farthest = measured(policy, texts), {}
    for place, text in enumerate(texts):
        pure, _ = numbers[0][place]
        concentrated = plan_question(text.replace("FROM t", "FROM t0"), policy, Spend.of(rho=1))
        for (one, other), part in product(pairs, (*pure.noise, *concentrated.noise)):
            far = moved(part, numbers[one][place][1], numbers[other][place][1])
            assert far <= 1
            key = (part.label, type(part.mechanism).__name__, bool(pure.bound.keys))
            farthest[key] = max(farthest.get(key, 0), far)
    assert {"count", "median", "most common value"} <= {key[0] for key in farthest}
    assert {(RUNNING, "Laplace"), (RUNNING, "Gaussian")} <= {key[:2] for key in farthest}
    reached = {key for key, far in farthest.items() if far > Fraction(95, 100)}
    for label, noise, grouped in farthest:
        if label == RUNNING or (label in {"count", "median"} and noise != "Gaussian"):
            sized = label == "count" and relation == "replace" and not grouped  # whoever it is, there are as many
            # rows at both ends are never in the first and the last joined cell at once, wherever the value is
            wider = label == "median" and noise == "Exponential" and relation == "replace" and not grouped
            assert sized or wider or (label, noise, grouped) in reached


@pytest.mark.parametrize(("contribution", "keys"), [(2, 5), (5, 2), (1, 3)])
def test_a_unit_may_have_more_private_keys_than_rows(tmp_path, contribution, keys):
    """As many keys as the policy says, whatever the rows may weigh together: one setting does not stand for another."""
    rows = [row(1, 9, 9, 0, f"word {place}") for place in range(20)]
    policy = rules(tmp_path, [rows], (0, 9), (0, 9), unit="who", contribution=contribution, keys=keys)
    plan = plan_question(PRIVATE, policy, Spend.of(epsilon=1, delta="1e-7"))
    engine = engine_of(policy)
    try:
        (query,) = plan.queries
        table = engine.run(query)
    finally:
        engine.close()
    assert plan.selection.partitions == keys == sum(table[query.units].to_pylist())
    for part in plan.noise:
        members = singly((part,))  # both ends of the bounds together are as far as one of them may be
        far = [sum(abs(number) for number in table[member.statistic.name].to_pylist()) for member in members]
        assert sum(far) <= members[0].mechanism.sensitivity
        if members[0].statistic.total is None:
            assert far == [members[0].mechanism.sensitivity] == [keys]


@pytest.mark.parametrize("contribution", [1, 3])
def test_a_unit_with_one_private_key_and_many_rows_weighs_its_contribution(tmp_path, contribution):
    """It keeps its key, so nothing is cut: its rows are weighed all the same."""
    rows = [row(1, 9, 9, 0, "word")] * 20
    policy = rules(tmp_path, [rows], (0, 9), (0, 9), unit="who", contribution=contribution, keys=2)
    plan = plan_question(PRIVATE, policy, Spend.of(epsilon=1, delta="1e-7"))
    engine = engine_of(policy)
    try:
        (query,) = plan.queries
        table = engine.run(query)
    finally:
        engine.close()
    for part in plan.noise:
        members = singly((part,))
        far = [sum(abs(number) for number in table[member.statistic.name].to_pylist()) for member in members]
        assert sum(far) <= members[0].mechanism.sensitivity
        assert members[0].statistic.total is None or sum(far) > members[0].mechanism.sensitivity * 0.999
