"""The profile as a purchase: what it costs, what one person moves, what its name rests on, and who sees it."""

from datetime import date
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import csv

import deniable
from deniable.core.errors import Refused
from deniable.core.loss import Loss
from deniable.curator import create
from deniable.curator.profiling.purchase import plan_profile
from deniable.planner import Spend
from deniable.releases.profile.suggest import suggestions, untold
from tests.support.curators import curator, silence
from tests.support.tables import REGIONS, policy, visits

RHO = Fraction(1, 50)
COUNT = "SELECT COUNT(*) FROM visits"
MEAN = "SELECT AVG(cost) FROM visits"


def house(folder, table, **changes):
    return curator(folder, table, policy(folder, **({"contribution": 3} | changes)))


def test_one_charge_of_what_was_asked_and_free_again(tmp_path):
    with house(tmp_path, visits(400, seed=1)) as one:
        first = one.profile(rho=RHO)
        assert (first.free, first.loss.rho <= RHO) == (False, True)
        assert first.loss.rho > RHO * Fraction(999, 1000)
        assert len([entry for entry in one.history() if entry.kind == "charged"]) == 1
        spent = one.budget().spent
        again = one.profile(rho=RHO)
        assert again.free
        assert one.budget().spent == spent
        assert again.table.equals(first.table)


def test_without_noise_it_is_what_the_rows_say(tmp_path, monkeypatch):
    table = visits(800, seed=2)
    silence(monkeypatch)
    with house(tmp_path, table) as one:
        found = one.profile(rho=RHO).tables["visits"]
    owners = table["patient_id"].drop_null().to_numpy()
    rows = np.bincount(owners)
    rows = rows[rows > 0]
    assert found.people.people.value == pytest.approx(len(rows))
    assert found.people.more_than(4).value == pytest.approx((rows > 4).sum())
    known = table.filter(table["patient_id"].is_valid())
    weights = 1 / np.bincount(known["patient_id"].to_numpy())[known["patient_id"].to_numpy()]
    cost = known["cost"].to_numpy()
    below = weights[cost < 100].sum() / weights.sum()  # 100 is an edge: whole cells lie below
    assert found.columns["cost"].outside(Fraction(100), None).value == pytest.approx(below, abs=1e-3)
    missing = weights[known["score"].is_null().to_numpy(zero_copy_only=False)].sum() / weights.sum()
    assert found.columns["score"].missing.value == pytest.approx(missing, abs=1e-3)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_days_and_moments_are_in_the_half_year_that_holds_them(tmp_path, monkeypatch, ending):
    """Also in a text file, where a date is a long expression; before 1900 and from July 2100 on, cells are open."""
    days = [f"{year}-{rest}" for year in (1850, 1900, 1999, 2024, 2100, 9999) for rest in ("01-01", "06-30", "07-01")]
    table = pa.table({"d": days, "t": [f"{day} 23:59:59" for day in days]})
    stored = table.cast(pa.schema({"d": pa.date32(), "t": pa.timestamp("us")}))
    (pq.write_table if ending == "parquet" else csv.write_csv)(stored, tmp_path / f"days.{ending}")
    rules = tmp_path / "days.toml"
    columns = 'd = { type = "date" }\nt = { type = "timestamp" }\n'
    rules.write_text(
        '[population]\nname = "days"\n[budget]\nepsilon = 9\ndelta = 1e-6\n'
        f'[tables.days]\nsource = "days.{ending}"\n[tables.days.columns]\n{columns}'
    )
    silence(monkeypatch)
    with create(rules, reason="a test") as one:
        found = one.profile(rho=RHO).tables["days"].columns
    for name, scale in (("d", 1), ("t", 86_400 * 10**6)):
        column = found[name]
        counts = column.measured.counts
        edges = [int(edge) // scale for edge in column.edges]
        numbers = [(date.fromisoformat(day) - date(1970, 1, 1)).days for day in days]
        expected = np.bincount(np.searchsorted(edges, numbers, side="right"), minlength=len(counts))
        assert counts == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("neighbours", ["add-remove", "replace"])
@pytest.mark.parametrize("unit", [True, False], ids=["people", "rows"])
def test_nobody_moves_a_measurement_farther_than_was_paid_for(tmp_path, monkeypatch, neighbours, unit):
    table = visits(300, seed=3)
    heavy = pa.concat_tables([table, table.slice(0, 90).set_column(0, "patient_id", pa.array([7] * 90))])
    owner = heavy["patient_id"].to_numpy()
    changed = [heavy.filter(pa.array(owner != 7)) if unit else heavy.slice(1)]
    rules = {"contribution": 3 if unit else None, "neighbours": neighbours}
    plan = plan_profile(policy(tmp_path, **rules), Spend.of(rho=RHO))
    sizes = [mechanism.sensitivity for part in plan.parts for mechanism in part.mechanisms]
    silence(monkeypatch)
    vectors = []
    for number, rows in enumerate([heavy, *changed]):
        folder = tmp_path / str(number)
        folder.mkdir()
        with house(folder, rows, **rules) as one:
            vectors.append(_parts(plan, one._buy(plan_profile(one.policy, Spend.of(rho=RHO)), None)[0]))
    for other in vectors[1:]:
        for size, before, after in zip(sizes, vectors[0], other, strict=True):
            assert ((before - after).astype(float) ** 2).sum() <= float(size) ** 2


def test_where_noise_may_hide_everybody_nothing_is_said_of_their_rows(tmp_path, monkeypatch):
    """A few dozen people at rho 0.0003: what follows from nothing is no suggestion, no expectation and no share.

    The noise itself is left out; its width, which is all that counts here, is as it was charged.
    """
    silence(monkeypatch)
    with house(tmp_path, visits(200, seed=6), contribution=3) as one:
        profile = one.profile(rho="0.0003")
        people = profile.tables["visits"].people
        assert people.beyond > people.people.low / 2
        assert not any(found.setting == "contribution" for found in suggestions(profile, Fraction(1)))
        assert any("no contribution suggested" in text for text in untold(profile))
        assert not any("0.0% to 100.0%" in note for note in profile.notes)
        quote = one.explain("SELECT region, COUNT(*) AS n, AVG(cost) AS m FROM visits GROUP BY region", epsilon=1)
    assert quote.rows is None
    (told,) = [note for note in quote.notes if "contribution" in note]
    assert told == "profile: nobody can tell how many of the rows of visits contribution 3 leaves out"


def _parts(plan, recorded):
    """The recorded numbers, mechanism by mechanism."""
    import json  # noqa: PLC0415 - beside its use

    found = []
    for table in recorded:
        numbers, start = table["noisy"].to_numpy(), 0
        for part in json.loads(table.schema.metadata[b"profile"])["parts"]:
            size = part.get("people") or part["size"]
            found.append(numbers[start : start + size])
            start += size
    assert len(found) == sum(len(part.mechanisms) for part in plan.parts)
    return found


def test_the_profile_and_answers_outlive_changes_that_they_do_not_rest_on(tmp_path):
    table = visits(200, seed=4)
    with house(tmp_path, table) as one:
        names = {sql: one.name(sql, epsilon=1) for sql in (COUNT, MEAN)}
        profile = one.profile(rho=RHO).release
        facts = one.policy.tables["visits"]
        wider = _with(one.policy, "cost", high=Fraction(900))
        loose = type(one)(wider, one.engine, one.ledger)
        assert loose.profile(rho=RHO).free
        assert loose.profile(rho=RHO).release == profile
        assert loose.name(COUNT, epsilon=1) == names[COUNT]
        assert loose.name(MEAN, epsilon=1) != names[MEAN]
        heavier = type(one)(_replaced(one.policy, contribution=facts.contribution + 1), one.engine, one.ledger)
        assert heavier.profile(rho=RHO).release == profile
        assert heavier.name(COUNT, epsilon=1) != names[COUNT]


@pytest.mark.parametrize(
    "change",
    [{"unit": None, "contribution": 1}, {"key": "day"}],
    ids=["unit", "key"],
)
def test_whose_rows_they_are_and_how_they_are_read_is_part_of_every_name(tmp_path, change):
    with house(tmp_path, visits(200, seed=4)) as one:
        other = type(one)(_replaced(one.policy, **change), one.engine, one.ledger)
        assert one.name(COUNT, epsilon=1) != other.name(COUNT, epsilon=1)


def _replaced(rules, **change):
    from dataclasses import replace  # noqa: PLC0415 - beside its use

    return replace(rules, tables={"visits": replace(rules.tables["visits"], **change)})


def _with(rules, column, **change):
    from dataclasses import replace  # noqa: PLC0415 - beside its use

    declared = rules.tables["visits"].columns
    return _replaced(rules, columns={**declared, column: replace(declared[column], **change)})


def test_only_who_was_shown_the_profile_hears_of_it(tmp_path):
    pq.write_table(visits(300, seed=5), tmp_path / "visits.parquet")
    path = tmp_path / "clinic.toml"
    path.write_text(
        """
[population]
name = "clinic"
[budget]
epsilon = 100
delta = 1e-6
[tables.visits]
source = "visits.parquet"
unit = "patient_id"
contribution = 2
[tables.visits.columns]
patient_id = { type = "integer" }
cost = { type = "number", bounds = [0, 50] }
[analysts.alice]
epsilon = 10
[analysts.bob]
epsilon = 10
[analysts.carol]
epsilon = 0.01
"""
    )
    with create(path, reason="a test") as one:
        plain = one.explain(MEAN, epsilon=1, analyst="carol")
        one.profile(rho=RHO, analyst="alice")
        shown = one.explain(MEAN, epsilon=1, analyst="alice").notes
        assert any("of the rows of visits" in note for note in shown)
        assert any("values of cost" in note for note in shown)
        assert not any("profile" in note for note in one.explain(MEAN, epsilon=1, analyst="bob").notes)
        spent = one.budget("bob").spent
        assert not one.profile(rho=RHO, analyst="bob").free  # his share has paid
        assert one.budget("bob").spent != spent
        assert any("profile" in note for note in one.ask(MEAN, epsilon=1, analyst="bob").notes)
        with pytest.raises(Refused):  # who cannot pay for it is shown nothing of it, in notes or in expected sizes
            one.profile(rho=RHO, analyst="carol")
        assert one.budget("carol").spent == Loss.zero()
        assert one.explain(MEAN, epsilon=1, analyst="carol") == plain


def test_a_smaller_contribution_is_another_question_and_a_larger_one_changes_nothing(tmp_path):
    with house(tmp_path, visits(200, seed=6)) as one:
        quotes = {most: one.explain(COUNT, epsilon=1, contribution=most) for most in (1, 3, 50)}
        assert quotes[1].lines[0].scale * 3 == pytest.approx(quotes[3].lines[0].scale)
        assert quotes[50].lines == quotes[3].lines
        assert one.name(COUNT, epsilon=1, contribution=1) != one.name(COUNT, epsilon=1)
        assert one.name(COUNT, epsilon=1, contribution=50) == one.name(COUNT, epsilon=1)
        with pytest.raises(Refused, match="contribution"):
            one.explain(COUNT, epsilon=1, contribution="0.5")


def test_the_best_contribution_may_be_more_than_was_asked_with(tmp_path, monkeypatch):
    silence(monkeypatch)
    table = visits(3_000, seed=6)
    many = table.set_column(0, "patient_id", pa.array(np.arange(3_000) % 300))  # ten rows each
    with house(tmp_path, many, contribution=20) as one:
        one.profile(rho=100)
        for asked in ({"contribution": 2}, {}):
            notes = one.explain(COUNT, epsilon=10, **asked).notes
            (best,) = [note for note in notes if "best for this question" in note]
            assert "contribution=10:" in best


def test_texts_that_are_not_listed_are_found_with_a_delta_and_stay_paid_for(tmp_path):
    table = visits(2_000, seed=9)
    with house(tmp_path, table, contribution=3) as one:
        hidden = type(one)(_with(one.policy, "region", values=None), one.engine, one.ledger)
        assert "region" not in hidden.profile(rho=RHO).tables["visits"].listed
        found = hidden.profile(rho=50, delta="1e-7")
        assert found.loss.rho == pytest.approx(50, rel=1e-6)
        assert found.loss.delta == Fraction("1e-7")
        listed = found.tables["visits"].listed["region"]
        assert (listed.values, listed.found) == (tuple(sorted(REGIONS)), True)
        assert listed.missing.low > 0
        again = hidden.profile(rho=50, delta="1e-7")
        assert (again.free, again.loss) == (True, found.loss)
        assert hidden.known_profile().loss == found.loss  # with what it cost to find the texts
        after = type(one)(_with(one.policy, "region", values=listed.values), one.engine, one.ledger)
        spent = after.budget().spent
        declared = after.profile(rho=50, delta="1e-7")
        assert (declared.free, declared.loss) == (True, found.loss)  # the same profile, at the price that was paid
        assert after.budget().spent == spent


def test_everybody_pays_for_the_texts_too_and_is_told_their_own_price_ever_after(tmp_path):
    pq.write_table(visits(400, seed=9), tmp_path / "visits.parquet")
    path = tmp_path / "clinic.toml"
    shares = "".join(f"[analysts.{name}]\nepsilon = 90\n" for name in ("alice", "bob", "carol"))
    path.write_text(
        '[population]\nname = "clinic"\n[budget]\nepsilon = 100\ndelta = 1e-6\n'
        '[tables.visits]\nsource = "visits.parquet"\nunit = "patient_id"\ncontribution = 2\n[tables.visits.columns]\n'
        f'patient_id = {{ type = "integer" }}\nregion = {{ type = "text" }}\n{shares}'
    )
    spend = {"rho": 20, "delta": "1e-7"}
    with create(path, reason="a test") as one:
        texts = one.profile(**spend, analyst="alice").tables["visits"].listed["region"].values
        assert one.profile(**spend, analyst="bob").loss == one.budget("bob").spent == one.budget("alice").spent
        declared = type(one)(_with(one.policy, "region", values=texts), one.engine, one.ledger)
        declared.profile(**spend, analyst="carol")  # texts that are declared are public: hers is the rest
        for who in ("alice", "bob", "carol"):
            paid = one.budget(who).spent
            assert (paid.delta > 0) is (who != "carol")
            assert declared.known_profile(analyst=who).loss == paid
            assert declared.profile(**spend, analyst=who).loss == paid


@pytest.mark.parametrize("wanted", [{"accuracy": "20%"}, {"accuracy": "0.5"}])
def test_a_quotient_of_sums_can_be_asked_by_accuracy_once_means_are_known(tmp_path, wanted):
    sql = "SELECT SUM(cost) / SUM(age) AS x FROM visits"
    with house(tmp_path, visits(3_000, seed=6), contribution=20) as one:
        with pytest.raises(Refused, match="depends on"):
            one.explain(sql, **wanted)
        with pytest.raises(Refused, match="quotient of sums"):
            one.explain(sql, rows=3_000, **wanted)
        one.profile(rho=10)
        assert 0 < one.explain(sql, **wanted).loss.epsilon < 10


@pytest.mark.parametrize("payment", [{"epsilon": 1}, {"accuracy": 5}])
def test_it_is_paid_for_in_rho(tmp_path, payment):
    with house(tmp_path, visits(50, seed=7)) as one, pytest.raises(Refused, match="rho"):
        one.profile(**payment)


def test_the_command_writes_a_page_and_suggestions_that_can_be_asked_with(tmp_path):
    from typer.testing import CliRunner  # noqa: PLC0415 - beside its use

    from deniable.apps.cli import app  # noqa: PLC0415 - same

    pq.write_table(visits(3_000, seed=8), tmp_path / "visits.parquet")
    path = tmp_path / "clinic.toml"
    path.write_text(
        """
[population]
name = "clinic"
[budget]
epsilon = 10
delta = 1e-6
[tables.visits]
source = "visits.parquet"
unit = "patient_id"
contribution = 10
[tables.visits.columns]
patient_id = { type = "integer" }
cost = { type = "number" }
"""
    )
    create(path, reason="a test").close()
    done = CliRunner().invoke(app, ["profile", str(path), "--rho", "0.5", "--apply"])
    assert done.exit_code == 0, done.output
    assert (tmp_path / "profile.html").is_file()
    assert "private profile" in path.read_text()
    with deniable.open(path) as one:
        assert one.profile(rho="0.5").free
        assert any("profile:" in note for note in one.ask(MEAN, epsilon="0.5").notes)


def test_quotes_are_for_the_sizes_that_the_profile_lets_expect(tmp_path):
    table = visits(4_000, seed=10)
    with house(tmp_path, table, contribution=20) as one:
        one.profile(rho=50)
        quote = one.explain("SELECT region, AVG(cost) AS m FROM visits GROUP BY region", epsilon=10)
        paid = one.ask("SELECT region, AVG(cost) AS m FROM visits GROUP BY region", epsilon=10)
        assert quote.rows == pytest.approx(4_000 * 0.95 / 4, rel=0.12)  # of four regions, and a few rows without one
        ends = paid.intervals
        widths = [
            (b - a) / 2 for a, b in zip(ends["m_low"].to_pylist()[:4], ends["m_high"].to_pylist()[:4], strict=True)
        ]
        assert max(max(width / quote.lines[0].error, quote.lines[0].error / width) for width in widths) < 1.5
        assert one.ask("SELECT AVG(cost) AS m FROM visits", accuracy=10).plan.quote.lines[0].error <= 10


def test_a_budget_says_how_many_more_questions_like_the_last_one_fit(tmp_path):
    with house(tmp_path, visits(60, seed=11), epsilon=4) as one:
        assert not any("like the last one" in note for note in one.budget().notes)
        one.ask(COUNT, epsilon=Fraction(1, 2))
        budget = one.budget()
        times = budget.more_like(budget.last)
        assert times >= 7  # by epsilon alone; by another sum it may be more
        assert any(note.startswith(f"About {times:,} more questions like the last one") for note in budget.notes)
        one.ask(f"{COUNT} WHERE age > 5", epsilon=Fraction(7, 4))
        assert "About 1 more question like the last one, which cost ε 1.75." in one.budget().notes
