"""What every model must do: over all that `deniable.learn` exports, a new one is held to it at once."""

from __future__ import annotations

import inspect
import json
import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import deniable
import deniable.learn
from deniable.core.errors import Failed, InvalidArgumentError, Refused
from deniable.core.sensitivity import Neighbours
from deniable.curator.training.purchase import plan_training
from deniable.learn.learner import Learner, PaidSum
from deniable.learn.models.every import LEARNERS
from deniable.learn.models.logistic_regression import LogisticRegression
from deniable.learn.models.naive_bayes import NaiveBayes
from deniable.mechanisms import Gaussian
from deniable.planner import Spend
from tests.support.curators import silence

LABELS = ["Input", "Guarantee", "Not promised", "Error", "Cost", "Reference", "Proof", "Example"]
HEADINGS = ["Precondition", "Pseudocode", "Theorem", "Proof"]
ROOT = Path(__file__).parents[2]
RHO = Fraction(1, 5)

every_learner = pytest.mark.parametrize("kind", LEARNERS, ids=lambda kind: kind.__name__)


def people(count: int = 600) -> pa.Table:
    """Two columns and a category, with something to be learned in them; a third of the people have three rows."""
    chance = np.random.default_rng(11)
    age = chance.integers(0, 100, count)
    ill = chance.random(count) < np.where(age > 50, 0.9, 0.1)
    return pa.table(
        {
            "who": np.minimum(np.arange(count), chance.integers(0, count, count)),
            "age": age,
            "cost": np.clip(age * 4 + chance.normal(0, 20, count), 0, 500),
            "region": np.array(["north", "south", "elsewhere"])[chance.integers(0, 3, count)],
            "ill": [None if chance.random() < 0.05 else bool(one) for one in ill],
        }
    )


def protected(neighbours: str = "add-remove", table: pa.Table | None = None) -> deniable.Curator:
    return deniable.protect(
        people() if table is None else table,
        epsilon=50,
        delta=1e-3,
        unit="who",
        contribution=2,
        bounds={"age": (0, 100), "cost": (0, 500)},
        values={"region": ["north", "south"]},
        neighbours=neighbours,
    )


@pytest.fixture(scope="module")
def curator():
    with protected() as found:
        yield found


def asked(kind: type[Learner]) -> dict[str, object]:
    """What the model is asked to learn."""
    target = {"classes": "ill", "number": "cost", "": None}[kind.target]
    return {"sql": "SELECT age, cost, region, ill FROM data", "target": target}


def planned(kind: type[Learner], curator: deniable.Curator):
    return plan_training(curator.policy, kind(), *asked(kind).values(), Spend(rho=RHO))


def test_all_of_them_are_here() -> None:
    exported = {name for name in deniable.learn.__all__ if inspect.isclass(getattr(deniable.learn, name))}
    assert {kind.__name__ for kind in LEARNERS} == {
        name for name in exported if issubclass(getattr(deniable.learn, name), Learner)
    }
    modules = {path.stem for path in (ROOT / "src/deniable/learn/models").glob("*.py")}
    assert {kind.__module__.rpartition(".")[2] for kind in LEARNERS} <= modules


# The theorem is stated


@every_learner
def test_the_docstring_is_a_theorem(kind: type[Learner]) -> None:
    docstring = inspect.getdoc(kind) or ""
    assert (
        re.findall(r"^([A-Z][a-z]+(?: [a-z]+)?): ", docstring.replace("Example:", "Example: "), re.MULTILINE) == LABELS
    )
    assert docstring.splitlines()[0].endswith(".")
    assert ">>>" in docstring.split("Example:")[1]


@every_learner
def test_the_proof_is_written(kind: type[Learner]) -> None:
    path = re.search(r"^Proof: +(\S+)$", inspect.getdoc(kind) or "", flags=re.MULTILINE)
    assert path is not None
    headings = re.findall(r"^##+ +(\w+)", (ROOT / path[1]).read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert list(dict.fromkeys(heading for heading in headings if heading in HEADINGS)) == HEADINGS


@every_learner
def test_one_file_holds_one_model(kind: type[Learner]) -> None:
    snake = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=K)(?=Means)", "_", kind.__name__).lower()
    assert kind.__module__ == f"deniable.learn.models.{snake}"


# The price


@every_learner
def test_all_of_the_spend_is_spent_and_no_more(kind: type[Learner], curator: deniable.Curator) -> None:
    plan = planned(kind, curator)
    assert sum(measure.share for measure in plan.measures) == 1
    assert plan.loss.rho == RHO
    assert [noise.rho for noise in plan.mechanisms] == [RHO * measure.share for measure in plan.measures]


@every_learner
def test_every_sum_has_the_noise_of_its_sensitivity(kind: type[Learner], curator: deniable.Curator) -> None:
    plan = planned(kind, curator)
    for measure, noise in zip(plan.measures, plan.mechanisms, strict=True):
        assert noise.sensitivity == measure.kernel.sensitivity
        assert noise.variance == Fraction(measure.kernel.sensitivity) ** 2 / (2 * RHO * measure.share)
        assert measure.kernel.design.contribution == 2


@every_learner
def test_replaced_people_have_more_noise(kind: type[Learner], curator: deniable.Curator) -> None:
    with protected("replace") as replaced:
        for one, other in zip(planned(kind, curator).measures, planned(kind, replaced).measures, strict=True):
            assert other.kernel.design.neighbours is Neighbours.REPLACE
            assert other.kernel.sensitivity >= 1.41 * one.kernel.sensitivity


def test_other_libraries_pay_for_replaced_people_too(curator: deniable.Curator) -> None:
    """As our own sums do: twice as far apart is four times the rho."""
    with protected("replace") as replaced:
        losses = [one.charge_training([(10, 1, 4)], text="other").loss.rho for one in (curator, replaced)]
    assert losses[1] == 4 * losses[0]


@every_learner
def test_what_is_asked_for_does_not_depend_on_noise(kind: type[Learner], curator: deniable.Curator) -> None:
    """The sums of a training with wild noise are those that were priced: their kinds, sizes, shares, sensitivities."""
    plan, chance = planned(kind, curator), np.random.default_rng(2)
    for size in (1.0, 1e3, 1e12):
        training, found = plan.train(), []
        try:
            measure = next(training)
            while True:
                found.append(measure)
                noise = np.rint(chance.normal(0, size, measure.kernel.size)).astype(np.int64)
                measure = training.send(plan.measured(measure, noise))
        except StopIteration:
            pass
        assert [_facts(one) for one in found] == [_facts(one) for one in plan.measures]


def _facts(measure: PaidSum) -> tuple[object, ...]:
    kernel = measure.kernel
    return type(kernel), kernel.size, kernel.sensitivity, measure.share


@every_learner
def test_a_training_that_asks_for_more_fails(kind: type[Learner], curator: deniable.Curator, monkeypatch) -> None:
    plan = planned(kind, curator)
    first = plan.measures[0]
    monkeypatch.setitem(plan.__dict__, "measures", (PaidSum(first.kernel, first.share / 2), *plan.measures[1:]))
    with pytest.raises(Failed):
        next(plan.rounds([]))


# On a curator's rows


@every_learner
def test_a_model_is_paid_for_once(kind: type[Learner], curator: deniable.Curator) -> None:
    quote = kind().explain(curator, **asked(kind), rho=RHO)
    before = curator.budget().spent.rho
    model = kind().fit(curator, *list(asked(kind).values())[:1], target=asked(kind)["target"], rho=RHO)
    assert curator.budget().spent.rho - before == RHO == quote.loss.rho
    charged = [entry for entry in curator.history() if entry.events][-1]
    assert len(charged.events) == len(model.trained_.steps)
    again = kind().fit(curator, *list(asked(kind).values())[:1], target=asked(kind)["target"], rho=RHO)
    assert curator.budget().spent.rho - before == RHO
    assert again.trained_.free
    assert not model.trained_.free
    for name, value in vars(model).items():
        if name.endswith("_") and name != "trained_":
            assert np.array_equal(np.asarray(value), np.asarray(vars(again)[name])), name


@every_learner
def test_no_sum_is_shown_without_noise(kind: type[Learner], curator: deniable.Curator, monkeypatch) -> None:
    """If noise cannot be drawn, nothing is answered."""

    def broken(_self, _size, _bits):
        raise ArithmeticError("no noise")

    monkeypatch.setattr(Gaussian, "_noise", broken)
    with pytest.raises(ArithmeticError):
        kind().fit(curator, asked(kind)["sql"], target=asked(kind)["target"], rho=RHO / 3)


def test_nobody_counts_more_than_the_contribution(monkeypatch) -> None:
    """Without noise: a person with forty rows counts as two."""
    silence(monkeypatch)
    rows = [{"who": 0, "age": 20, "ill": True}] * 40 + [{"who": 1, "age": 20, "ill": False}]
    table = pa.Table.from_pylist(rows)
    with deniable.protect(table, epsilon=50, delta=1e-3, unit="who", contribution=2, bounds={"age": (0, 100)}) as few:
        model = NaiveBayes().fit(few, target="ill", rho=10)
    assert model.class_count_ == pytest.approx([1, 2], abs=0.02)


@every_learner
def test_nothing_is_spent_where_the_target_is_wrong(kind: type[Learner], curator: deniable.Curator) -> None:
    before = curator.budget().spent.rho
    wrong = None if kind.target else "cost"
    with pytest.raises(Refused) as refusal:
        kind().fit(curator, "SELECT age, cost FROM data", target=wrong, rho=RHO)
    assert refusal.value.code == "needs-target"
    with pytest.raises(Refused) as refusal:
        kind().fit(curator, "SELECT age, cost FROM data", target=wrong, epsilon=1)
    assert refusal.value.code == "bad-spend"
    assert curator.budget().spent.rho == before


@every_learner
def test_models_are_saved_without_a_line_of_code(
    kind: type[Learner], curator: deniable.Curator, tmp_path: Path
) -> None:
    model = kind().fit(curator, asked(kind)["sql"], target=asked(kind)["target"], rho=RHO)
    path = model.save(tmp_path / "model.json")
    assert json.loads(path.read_text())["card"]["title"].startswith(kind.__name__)
    read = deniable.learn.load(path)
    rows = {
        "age": [20, 80, None],
        "cost": [90.0, 400.0, 3.0],
        "region": ["north", "nowhere", None],
        "ill": [True, False, True],
    }
    use = "transform" if not hasattr(kind, "predict") else "predict"
    assert np.array_equal(getattr(model, use)(rows), getattr(read, use)(rows))
    assert repr(read.card()) == repr(model.card())
    assert len(getattr(model, use)(rows)) == 3


def test_what_is_no_model_is_not_loaded(tmp_path: Path) -> None:
    for text in (
        "",
        "[]",
        "{}",
        '{"format": "deniable model, 1", "model": "os.system"}',
        '{"format": 1, "model": "PCA"}',
    ):
        path = tmp_path / "model.json"
        path.write_text(text)
        with pytest.raises(InvalidArgumentError):
            deniable.learn.load(path)


def _spoiled(said: dict, place: tuple[object, ...], value: object) -> str:
    spoiled = json.loads(json.dumps(said))
    part = spoiled
    for one in place[:-1]:
        part = part[one]
    part[place[-1]] = value
    return json.dumps(spoiled)


def test_a_file_of_anybodys_is_no_danger(curator: deniable.Curator, tmp_path: Path) -> None:
    """Numbers of endless digits, bins without end, methods that are no longer methods, matrices of another size."""
    path = LogisticRegression().fit(curator, "SELECT age, ill FROM data", target="ill", rho=RHO).save(tmp_path / "m")
    good = json.loads(path.read_text())
    age = ("trained", "design", "features", 0)
    endless = {"kind": "bins", "name": "age", "low": "0", "high": "1", "bins": 10**15}
    for place, value in (
        ((*age, "low"), "1e999999999"),
        ((*age, "high"), "1/0"),
        ((*age, "high"), "0"),
        ((*age, "kind"), "__class__"),
        (age, endless),
        (("parameters", "rho"), {"fraction": "1e999999999"}),
        (("parameters", "code"), "import os"),
        (("learned", "predict"), "import os"),
        (("learned", "__class__"), "PCA"),
        (("learned", "weights_"), {"array": [[1.0] * 7]}),
        (("learned", "weights_"), {"array": [["a", "b"]]}),
        (("learned",), {}),
        (("trained", "steps"), 7),
        (("trained", "design", "neighbours"), "nobody"),
    ):
        path.write_text(_spoiled(good, place, value))
        with pytest.raises(InvalidArgumentError):
            deniable.learn.load(path)
    path.write_text("[" * 10**6)
    with pytest.raises(InvalidArgumentError):
        deniable.learn.load(path)
    path.write_text(_spoiled(good, ("trained", "population"), "\x1b]0;owned\x07<script>alert(1)</script>"))
    card = deniable.learn.load(path).card()
    assert "\x1b" not in repr(card)
    assert "<script>" not in card.page()


@every_learner
def test_the_card_says_what_matters(kind: type[Learner], curator: deniable.Curator) -> None:
    card = kind().fit(curator, asked(kind)["sql"], target=asked(kind)["target"], rho=RHO).card()
    text = repr(card)
    for word in ("who", "SELECT age", "at most 2 rows", "Gaussian", "Not promised", "0.2"):
        assert word in text
    assert "<h2>" in card.page()


# As scikit-learn's


@every_learner
def test_parameters_are_those_it_was_made_with(kind: type[Learner]) -> None:
    sklearn = pytest.importorskip("sklearn.base")
    model = kind(rho=3, bounds=(0, 1))
    twin = sklearn.clone(model)
    assert twin is not model
    assert twin.get_params() == model.get_params()
    assert eval(repr(model), {kind.__name__: kind}).get_params() == model.get_params()  # noqa: S307 - our own text
    with pytest.raises(ValueError, match="nonsense"):
        model.set_params(nonsense=1)
    assert model.set_params(rho=4).rho == 4
