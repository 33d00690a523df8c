"""One charge for several rounds, where a later query depends on an earlier noisy result."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

import pyarrow as pa
import pytest

import deniable
from deniable.core.algebra.query import ExactQuery
from deniable.core.errors import Failed, Refused
from deniable.core.event import Event
from deniable.core.loss import Loss
from deniable.core.paid import Paid
from deniable.curator.noise import add_noise
from deniable.curator.purchase import Round
from deniable.learn import PCA
from deniable.planner import Plan, Spend, bind, parse, price
from deniable.policy import Policy
from deniable.releases import Workload
from tests.support.curators import curator, silence
from tests.support.tables import policy

ROWS = 1000
HALF = Fraction(1, 2)


@dataclass(frozen=True)
class Search:
    """In which quarter is the median age? Two counts, of which the second depends on the noisy first."""

    policy: Policy

    text = "in which quarter is the median age?"
    digest = "search"
    tables = ("visits",)

    def older(self, than: int) -> Plan:
        sql = f"SELECT COUNT(*) AS n FROM visits WHERE age > {than}"
        return price(bind(parse(sql), self.policy), Spend.of(epsilon=HALF))

    @property
    def queries(self) -> tuple[ExactQuery, ...]:
        return self.older(55).queries

    @property
    def events(self) -> tuple[Event, ...]:
        return self.older(55).events * 2

    @property
    def loss(self) -> Loss:
        return self.older(55).quote.loss.times(2)

    def rounds(self, noisy: Sequence[pa.Table]) -> Iterator[Round]:
        first = self.older(55)
        yield Round(first.queries, partial(add_noise, first))
        (count,) = noisy[0].column(0).to_pylist()
        second = self.older(80 if count > ROWS / 2 else 30)
        yield Round(second.queries, partial(add_noise, second))


def opened(folder, ages, epsilon=10):
    rules = policy(folder, contribution=None, epsilon=epsilon)
    table = pa.table({"age": ages}) if len(ages) else pa.table({"age": pa.array([], type=pa.int64())})
    return curator(folder, table, rules)


@pytest.fixture
def house(tmp_path):
    with opened(tmp_path, [90] * 700 + [20] * 300) as made:
        yield made


def watch(monkeypatch, house, seen):
    """Every query that runs, and what the ledger held at that moment."""
    run = type(house.engine).run

    def watched(engine, query):
        seen.append((query, [entry.kind for entry in house.history()]))
        return run(engine, query)

    monkeypatch.setattr(type(house.engine), "run", watched)


@pytest.mark.parametrize(
    ("ages", "than", "counts"), [([90] * 700 + [20] * 300, 80, [700, 700]), ([40] * 9, 30, [0, 9])]
)
def test_the_second_query_depends_on_the_first_noisy_result(tmp_path, monkeypatch, ages, than, counts):
    silence(monkeypatch)
    seen = []
    with opened(tmp_path, ages) as house:
        watch(monkeypatch, house, seen)
        search = Search(house.policy)
        noisy, paid = house._buy(search, None)
        assert paid is Paid.NOW
        assert [table.column(0).to_pylist() for table in noisy] == [[counts[0]], [counts[1]]]
        assert [query for query, _ in seen] == [*search.older(55).queries, *search.older(than).queries]


def test_noise_decides_and_not_the_exact_count(house, monkeypatch):
    seen = []
    watch(monkeypatch, house, seen)
    monkeypatch.setattr("deniable.mechanisms.Laplace._noise", lambda _self, size, _bits: [-600] * size)
    house._buy(Search(house.policy), None)
    assert seen[1][0] == Search(house.policy).older(30).queries[0]  # 100 were seen, though there are 700


def test_all_rounds_are_paid_by_one_charge_that_is_there_before_the_first(house, monkeypatch):
    seen = []
    watch(monkeypatch, house, seen)
    house._buy(Search(house.policy), "alice")
    assert [held for _, held in seen] == [["created", "charged"]] * 2
    created, charged, answered = house.history()
    assert (created.kind, charged.kind, answered.kind) == ("created", "charged", "answered")
    assert (charged.analyst, charged.text, len(charged.events)) == ("alice", Search.text, 2)
    assert charged.loss.epsilon == house.budget().spent.epsilon == 1


def test_what_was_answered_was_recorded_and_is_free_again(house, monkeypatch):
    noisy, _ = house._buy(Search(house.policy), None)
    monkeypatch.setattr(type(house.engine), "run", lambda *_: pytest.fail("data was read"))
    monkeypatch.setattr(type(house.engine), "check", lambda *_: pytest.fail("found before it is checked"))
    again, paid = house._buy(Search(house.policy), None)
    assert paid.free
    assert again == noisy
    assert house.budget().spent.epsilon == 1


@pytest.mark.parametrize("error", [Failed, KeyboardInterrupt, MemoryError])
def test_a_crash_between_rounds_leaves_the_charge_and_gives_no_answer(house, monkeypatch, error):
    run, turns = type(house.engine).run, []

    def breaks(engine, query):
        turns.append(query)
        if len(turns) == 2:
            raise error
        return run(engine, query)

    monkeypatch.setattr(type(house.engine), "run", breaks)
    with pytest.raises(error):
        house._buy(Search(house.policy), None)
    assert [entry.kind for entry in house.history()] == ["created", "charged"]
    assert house.budget().spent.epsilon == 1
    _, paid = house._buy(Search(house.policy), None)
    assert paid is Paid.NOW
    assert house.budget().spent.epsilon == 2
    assert len(turns) == 4


def test_what_does_not_fit_as_a_whole_is_not_begun(tmp_path, monkeypatch):
    with opened(tmp_path, [1], epsilon=0.9) as house:  # room for one round
        monkeypatch.setattr(type(house.engine), "run", lambda *_: pytest.fail("data was read"))
        with pytest.raises(Refused) as caught:
            house._buy(Search(house.policy), None)
        assert caught.value.code == "over-budget"
        assert len(house.history()) == 1


def test_what_the_engine_cannot_run_is_refused_before_the_charge(house, monkeypatch):
    def refuses(_engine, _query):
        raise Refused("too-long", "It is too long.", "Shorten it.")

    monkeypatch.setattr(type(house.engine), "check", refuses)
    with pytest.raises(Refused, match="too long"):
        house._buy(Search(house.policy), None)
    assert len(house.history()) == 1


def _people() -> pa.Table:
    return pa.table({"u": [row // 4 for row in range(400)], "region": ["n", "s"] * 200, "x": list(range(400))})


@pytest.fixture
def weighed():
    bounds, values = {"x": (0, 400)}, {"region": ["n", "s"]}
    with deniable.protect(
        _people(), unit="u", contribution=4, bounds=bounds, values=values, epsilon=20, delta=1e-6
    ) as opened:
        yield opened


def test_a_contribution_of_ones_own_counts_in_batches_and_trainings_as_in_questions(weighed):
    one = weighed.explain("SELECT COUNT(*) AS n FROM data", epsilon=1, contribution=1).lines[0].sensitivity
    (quote,) = weighed.explain_all(["SELECT COUNT(*) AS n FROM data"], epsilon=1, contribution=1).questions
    assert one == quote.lines[0].sensitivity == 1

    def moved(contribution):
        spend = {"rho": "0.1", "contribution": contribution}
        return weighed.explain_training(PCA(), "SELECT x FROM data", **spend).steps[0].sensitivity

    assert moved(4) == moved(None) == pytest.approx(4 * moved(1), abs=4)


def test_where_a_contribution_of_ones_own_cannot_count_it_is_refused_and_not_passed_over(weighed):
    spend = {"rho": "0.1", "contribution": 1}
    for buy in (
        lambda: weighed.explain(Workload.histogram("region"), **spend),
        lambda: weighed.release(Workload.histogram("region"), **spend),
        lambda: weighed.synthesize(**spend),
        lambda: weighed.profile(**spend),
    ):
        with pytest.raises(Refused) as refusal:
            buy()
        assert refusal.value.code == "bad-spend"
    assert [entry.kind for entry in weighed.history()] == ["created"]
