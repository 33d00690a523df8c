"""Expected sizes from earlier answers: which ones fit, who may know them, and that the same question stays free."""

import pytest

from deniable.core.errors import Refused
from deniable.curator import create
from tests.support.curators import curator, silence
from tests.support.tables import policy, visits

BY_REGION = "SELECT region, COUNT(*) AS n FROM visits GROUP BY region"
MEAN = "SELECT region, AVG(cost) AS m FROM visits GROUP BY region"
ALL = "SELECT AVG(cost) AS m FROM visits"


@pytest.fixture
def one(tmp_path):
    with curator(tmp_path, visits(4_000, seed=1), policy(tmp_path, contribution=None)) as found:
        yield found


def test_a_recorded_count_by_group_says_what_an_average_is_quoted_for(one):
    assert one.explain(MEAN, epsilon=10).rows is None
    one.ask(BY_REGION, epsilon=100)
    quote = one.explain(MEAN, epsilon=10)
    assert quote.rows == pytest.approx(950, rel=0.1)
    assert "as an earlier answer counted them" in quote.sizes[0]
    assert f"expected: {quote.rows:,} rows in the middle group" in quote.sizes[0]
    paid = one.ask(MEAN, epsilon=10).intervals
    widths = [(paid["m_high"][place].as_py() - paid["m_low"][place].as_py()) / 2 for place in range(4)]
    assert all(1 / 1.5 < width / quote.lines[0].error < 1.5 for width in widths)
    assert not any("expected" in note for note in one.ask(MEAN, epsilon=10).notes)


def test_an_accuracy_can_be_asked_for_and_costs_nothing_when_it_is_asked_again(one):
    with pytest.raises(Refused, match="depends on the data"):
        one.explain(MEAN, accuracy="5%")
    one.ask(BY_REGION, epsilon=100)
    first = one.ask(MEAN, accuracy="5%")
    assert not first.free
    one.ask("SELECT region, COUNT(*) AS n, SUM(cost) AS s FROM visits GROUP BY region", epsilon=90)
    again = one.ask(MEAN, accuracy="5%")  # although by now there are three answers that count these rows
    assert again.free
    assert again.table.equals(first.table)


def test_counts_of_finer_groups_add_up(one):
    one.ask("SELECT region, urgent, COUNT(*) AS n FROM visits GROUP BY region, urgent", epsilon=100)
    assert one.explain(MEAN, epsilon=10).rows == pytest.approx(950, rel=0.1)
    assert one.explain(ALL, epsilon=10).rows == pytest.approx(4_000, rel=0.05)


def test_an_average_counts_as_well(one):
    one.ask(MEAN, epsilon=100)
    assert one.explain("SELECT region, AVG(age) AS m FROM visits GROUP BY region", epsilon=10).rows is not None


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT region, COUNT(*) AS n FROM visits WHERE age > 50 GROUP BY region",
        "SELECT urgent, COUNT(*) AS n FROM visits GROUP BY urgent",
        "SELECT COUNT(*) AS n FROM visits",
        "SELECT region, COUNT(*) FILTER (WHERE urgent) AS n FROM visits GROUP BY region",
        "SELECT region, SUM(age) AS n FROM visits GROUP BY region",
    ],
)
def test_other_rows_other_groups_and_no_counts_say_nothing(one, sql):
    one.ask(sql, epsilon=100)
    assert one.explain(MEAN, epsilon=10).rows is None


def test_an_answer_that_is_still_on_its_way_says_nothing(one):
    """When it was recorded says how long the question took; whoever serves it decides when it may be known."""
    settled = set()
    served = type(one)(one.policy, one.engine, one.ledger, may_show=settled.__contains__)
    served.ask(BY_REGION, epsilon=100)
    assert served.explain(MEAN, epsilon=10).rows is None
    settled.add(served.name(BY_REGION, epsilon=100))
    assert served.explain(MEAN, epsilon=10).rows is not None


def test_another_contribution_is_another_count(tmp_path):
    with curator(tmp_path, visits(4_000, seed=2), policy(tmp_path, contribution=10)) as one:
        one.ask(BY_REGION, epsilon=1000, contribution=2)
        assert one.explain(MEAN, epsilon=10).rows is None
        assert one.explain(MEAN, epsilon=10, contribution=2).rows is not None


def test_a_count_that_cannot_be_told_from_noise_says_nothing(one, monkeypatch):
    silence(monkeypatch)
    one.ask(BY_REGION, epsilon="0.0001")  # 1,000 rows in each, give or take 30,000
    assert one.explain(MEAN, epsilon=10).rows is None


def test_what_was_said_in_the_question_goes_first(one):
    one.ask(BY_REGION, epsilon=100)
    assert one.explain(MEAN, epsilon=10, rows=28_000).rows == 28_000


def test_private_groups_are_as_large_as_they_were_shown(tmp_path):
    with curator(tmp_path, visits(4_000, seed=3), policy(tmp_path, contribution=None)) as one:
        asked = {"epsilon": 100, "delta": "1e-7"}
        one.ask("SELECT reason, COUNT(*) AS n FROM visits GROUP BY reason", **asked)
        quote = one.explain("SELECT reason, AVG(cost) AS m FROM visits GROUP BY reason", **asked)
        assert quote.rows == pytest.approx(4_000 / 3, rel=0.1)
        assert one.explain(ALL, epsilon=10).rows is None  # groups may be missing


def test_only_who_has_seen_an_answer_is_quoted_by_it(tmp_path):
    import pyarrow.parquet as pq  # noqa: PLC0415 - beside its use

    pq.write_table(visits(2_000, seed=5), tmp_path / "visits.parquet")
    path = tmp_path / "clinic.toml"
    path.write_text(
        """
[population]
name = "clinic"
[budget]
epsilon = 1000
[limits]
most_spend = 1
[tables.visits]
source = "visits.parquet"
[tables.visits.columns]
cost = { type = "number", bounds = [0, 500], nulls = false }
urgent = { type = "boolean", nulls = false }
[analysts.alice]
epsilon = 500
[analysts.bob]
epsilon = 500
"""
    )
    counts, mean = (f"SELECT urgent, {what} FROM visits GROUP BY urgent" for what in ("COUNT(*)", "AVG(cost)"))
    with create(path, reason="a test") as one:
        plain = one.explain(mean, epsilon=1, analyst="bob")
        one.ask(counts, epsilon=50, analyst="alice")
        assert one.explain(mean, epsilon=1, analyst="alice").rows is not None
        assert one.explain(mean, epsilon=1, analyst="bob") == plain
        with pytest.raises(Refused, match="depends on the data"):
            one.explain(mean, accuracy="5%", analyst="bob")
        spent = one.budget("bob").spent
        one.ask(counts, epsilon=50, analyst="bob")  # shown to him, for what it cost
        assert one.budget("bob").spent != spent
        assert one.explain(mean, epsilon=1, analyst="bob") == one.explain(mean, epsilon=1, analyst="alice")
