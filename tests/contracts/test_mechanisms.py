"""What every mechanism must do: over all that `deniable.mechanisms` exports, a new one is held to it at once."""

from __future__ import annotations

import inspect
import json
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from fractions import Fraction
from itertools import product
from math import inf, nan
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import deniable.mechanisms
from deniable.audit import audit
from deniable.core.bits import OperatingSystem
from deniable.core.errors import InvalidArgumentError
from deniable.core.number import exact
from deniable.core.sampling import discrete_laplace
from deniable.mechanisms import Laplace, Mechanism
from deniable.mechanisms.selection import Selection
from tests.support.bits import SeededBits

LABELS = ["Input", "Guarantee", "Rounding", "Error", "Cost", "Caution", "Reference", "Proof", "Example"]
HEADINGS = ["Precondition", "Pseudocode", "Theorem", "Proof"]
ROOT = Path(__file__).parents[2]

KINDS = [
    kind for name in deniable.mechanisms.__all__ if not inspect.isabstract(kind := getattr(deniable.mechanisms, name))
]
DELTAS = {"Gaussian": Fraction(1, 10**6)}
"""Where a mechanism without a finite epsilon is judged; the others at the delta that is part of their loss."""

TIGHT = {"Laplace", "RandomizedResponse", "Exponential", "PermuteAndFlip", "NoisyMax", "PartitionSelection"}
"""Those whose `neighbours()` come close to the whole loss.

With epsilon = 1: Laplace, randomized response and partition selection (at its delta) attain it. Of ten candidates, one
against nine, the exponential mechanism attains ln((sqrt e + 9 e) / (sqrt e + 9)) = 0.897; permute-and-flip
ln((1 - (1 - q)^10) / q^2) with q = e^-1/2, and noisy max about the same: above 0.999.
"""

NOT_NUMBERS = [nan, inf, -inf, "", "abc", True, [1, 2], object()]
NOT_POSITIVE = [0, -1, "-0.5", 0.0]
POSITIVE = {"epsilon", "delta", "rho", "sensitivity", "step", "k", "coordinates", "partitions"}


def shown(value: object) -> str:
    """The same in every process."""
    return repr(value).split(" at ")[0]


every_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)


def delta_of(mechanism: Mechanism) -> Fraction:
    return DELTAS.get(type(mechanism).__name__, mechanism.loss.delta)


def test_all_of_them_are_here() -> None:
    assert {"Laplace", "Gaussian", "RandomizedResponse", "Exponential", "PermuteAndFlip", "NoisyMax", "TopK"} <= {
        kind.__name__ for kind in KINDS
    }


# The theorem is stated


@every_kind
def test_the_docstring_is_a_theorem(kind: type[Mechanism]) -> None:
    docstring = inspect.getdoc(kind) or ""
    labels = re.findall(r"^([A-Z][a-z]+):", docstring, flags=re.MULTILINE)
    assert labels == LABELS
    first = docstring.splitlines()[0]
    assert first.endswith(".")
    assert ">>>" in docstring.split("Example:")[1]


@every_kind
def test_the_proof_is_written(kind: type[Mechanism]) -> None:
    path = re.search(r"^Proof: +(\S+)$", inspect.getdoc(kind) or "", flags=re.MULTILINE)
    assert path is not None
    page = ROOT / path[1]
    assert page == ROOT / "docs" / "proofs" / f"{kind.__module__.rpartition('.')[2]}.md"
    headings = re.findall(r"^##+ +(\w+)", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert list(dict.fromkeys(heading for heading in headings if heading in HEADINGS)) == HEADINGS


@every_kind
def test_one_file_holds_one_mechanism(kind: type[Mechanism]) -> None:
    module = inspect.getmodule(kind)
    assert module is not None
    snake = re.sub(r"(?<!^)(?=[A-Z])", "_", kind.__name__).lower()
    assert module.__name__ == f"deniable.mechanisms.{snake}"
    public = [
        name
        for name, member in vars(module).items()
        if inspect.isclass(member)
        and issubclass(member, Mechanism)
        and member.__module__ == module.__name__
        and not name.startswith("_")
    ]
    assert public == [kind.__name__]


# Settings are values, and nothing chooses its own randomness


@every_kind
def test_it_is_a_frozen_value(kind: type[Mechanism]) -> None:
    mechanism = kind.typical(1)
    assert is_dataclass(mechanism)
    for item in fields(mechanism):
        before = getattr(mechanism, item.name)
        with pytest.raises(AttributeError):
            setattr(mechanism, item.name, before)
        with pytest.raises(AttributeError):
            delattr(mechanism, item.name)
    with pytest.raises((AttributeError, TypeError)):
        mechanism.something_new = 1  # type: ignore[attr-defined]
    assert mechanism == kind.typical(1)
    assert hash(mechanism) == hash(kind.typical(1))
    assert mechanism != kind.typical(2)


@every_kind
def test_nobody_passes_randomness_in(kind: type[Mechanism]) -> None:
    public = [member for name, member in inspect.getmembers(kind, callable) if not name.startswith("_")]
    for method in (*public, kind.__init__):
        for name, parameter in inspect.signature(method).parameters.items():
            assert name not in {"bits", "seed", "rng", "random_state", "generator", "random", "source"}
            assert "BitSource" not in str(parameter.annotation)
            assert "Generator" not in str(parameter.annotation)


# Calibration never overspends, and the ledger can recall it


@every_kind
@settings(max_examples=25, deadline=None)
@given(epsilon=st.floats(1e-3, 20))
def test_calibration_never_overspends(kind: type[Mechanism], epsilon: float) -> None:
    mechanism = kind.typical(epsilon)
    assert mechanism.loss.at(delta_of(mechanism)).epsilon <= exact("epsilon", epsilon)


@every_kind
@settings(max_examples=25, deadline=None)
@given(epsilon=st.floats(1e-3, 20))
def test_an_event_recalls_its_mechanism(kind: type[Mechanism], epsilon: float) -> None:
    mechanism = kind.typical(epsilon)
    again = Mechanism.recall(mechanism.event)
    assert type(again) is kind
    assert again == mechanism
    assert again.loss == mechanism.loss
    written = json.loads(json.dumps(mechanism.event.to_json()))
    assert written["mechanism"] == kind.__name__
    read = {name: Fraction(text) for name, text in written["settings"].items()}
    assert kind(**read) == mechanism


def test_an_unknown_event_is_refused() -> None:
    event = KINDS[0].typical(1).event
    with pytest.raises(InvalidArgumentError, match="Nonsense"):
        Mechanism.recall(type(event)("Nonsense", event.settings))


# Bad input is named, and draws nothing


@every_kind
@pytest.mark.usefixtures("no_randomness")
def test_bad_settings_are_named(kind: type[Mechanism]) -> None:
    good = kind.typical(1).event.settings
    for name in good:
        for bad in [*NOT_NUMBERS, *(NOT_POSITIVE if name in POSITIVE else [])]:
            with pytest.raises(InvalidArgumentError) as error:
                kind(**{**good, name: bad})
            assert error.value.argument == name, (name, bad)
            assert str(error.value).startswith(name)


@every_kind
@pytest.mark.usefixtures("no_randomness")
@pytest.mark.parametrize("bad", [*NOT_NUMBERS, *NOT_POSITIVE], ids=shown)
def test_bad_epsilon_is_named(kind: type[Mechanism], bad: object) -> None:
    with pytest.raises(InvalidArgumentError) as error:
        kind.typical(bad)  # type: ignore[arg-type]
    assert error.value.argument == "epsilon"


@every_kind
@pytest.mark.usefixtures("no_randomness")
@pytest.mark.parametrize(
    "bad",
    [nan, "abc", None, 1j, [nan, 1.0], [1.0, nan], ["abc", "def"], [[0, 1], [1, 0]], {}, object()],
    ids=shown,
)
def test_bad_data_is_refused(kind: type[Mechanism], bad: object) -> None:
    with pytest.raises(InvalidArgumentError):
        kind.typical(1).sample(bad, 10)


# The loss is not more than stated, and not much less


@every_kind
def test_the_audit_passes(kind: type[Mechanism]) -> None:
    # false alarms: one in a million audits, by the auditor's own theorem
    mechanism = kind.typical(1)
    verdict = audit(mechanism, epsilon=1, delta=delta_of(mechanism), samples=60_000, alpha=1e-6)
    assert verdict.passed, verdict


@pytest.mark.deep
@pytest.mark.parametrize("epsilon", ["0.1", "1", "4"])
@every_kind
def test_the_audit_passes_with_many_samples(kind: type[Mechanism], epsilon: str) -> None:
    mechanism = kind.typical(epsilon)
    verdict = audit(mechanism, epsilon=epsilon, delta=delta_of(mechanism), samples=2_000_000, alpha=1e-6)
    assert verdict.passed, verdict


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind.__name__ in TIGHT], ids=lambda kind: kind.__name__)
def test_the_audit_comes_close_to_the_loss(kind: type[Mechanism]) -> None:
    # at 200,000 trials ten standard errors are below 0.14, for probabilities of 0.06 and 0.15
    mechanism = kind.typical(1)
    verdict = audit(mechanism, epsilon=1, delta=delta_of(mechanism), samples=400_000, alpha=1e-6)
    assert 0.7 <= verdict.lower_bound <= 1, verdict


# What is audited is what people use

PRODUCTION = ("release", "choose", "keep", "first")
"""The methods by which people use a mechanism; each has one of them."""


def used(mechanism: Mechanism, data: object) -> object:
    """One use, as people use it, in the words of `sample`."""
    (name,) = [name for name in PRODUCTION if callable(getattr(type(mechanism), name, None))]
    outcome = getattr(mechanism, name)(data, **({"threshold": 0} if name == "first" else {}))
    if isinstance(outcome, list):
        return sum(place * len(data) ** digit for digit, place in enumerate(outcome))
    return len(data) if outcome is None else outcome


@contextmanager
def draws(monkeypatch: pytest.MonkeyPatch, seed: int) -> Iterator[list[tuple[object, int]]]:
    """Every draw while it is open, from a known tape: the code outside of the samplers that asked, and for how much."""
    seen: list[tuple[object, int]] = []
    tape = SeededBits(seed)

    def read(count: int) -> bytes:
        frame = sys._getframe(1)
        while SAMPLERS in frame.f_code.co_filename and frame.f_back is not None:
            frame = frame.f_back
        seen.append((frame.f_code, count))
        return tape.read(count)

    with monkeypatch.context() as patch:
        patch.setattr("os.urandom", read)
        yield seen


SAMPLERS = str(Path("deniable", "core"))


def same_path(mechanism: Mechanism, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether one sample and one use draw the same bits on the same lines, and make the same of them."""
    for seed, data in product(range(20), mechanism.neighbours()):
        with draws(monkeypatch, seed) as sampled:
            (outcome,) = mechanism.sample(data, 1).tolist()
        with draws(monkeypatch, seed) as drawn:
            expected = used(mechanism, data)
        if not drawn or sampled != drawn or outcome != expected:
            return False
    return True


@every_kind
@pytest.mark.parametrize("epsilon", ["0.3", "1", "5"])
def test_audits_drive_the_code_that_people_use(
    kind: type[Mechanism], epsilon: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert same_path(kind.typical(epsilon), monkeypatch)


@every_kind
def test_many_samples_draw_on_the_same_lines(kind: type[Mechanism], monkeypatch: pytest.MonkeyPatch) -> None:
    mechanism = kind.typical(1)
    data, _ = mechanism.neighbours()
    with draws(monkeypatch, 1) as many:
        mechanism.sample(data, 500)
    with draws(monkeypatch, 1) as one:
        used(mechanism, data)
    assert {code for code, _ in many} == {code for code, _ in one}


def test_a_sample_that_is_made_beside_the_mechanism_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the same law, and even of the same bits: what it shows is true of itself only."""

    class Beside(Laplace):
        __slots__ = ()

        def sample(self, data: float, count: int) -> np.ndarray:
            return np.full(count, data) + discrete_laplace(self.scale, count, OperatingSystem())

    class Wider(Laplace):
        __slots__ = ()

        def release(self, values: float) -> int:
            return int(super().release(2 * values))

    assert same_path(Laplace.typical(1), monkeypatch)
    assert not same_path(Beside.typical(1), monkeypatch)
    assert not same_path(Wider.typical(1), monkeypatch)


@pytest.mark.parametrize(
    "kind", [kind for kind in KINDS if issubclass(kind, Selection)], ids=lambda kind: kind.__name__
)
def test_the_audit_of_choices_in_many_rows_passes(kind: type[Selection]) -> None:
    # how quantiles of groups are chosen; false alarms: one in a million, by the auditor's own theorem
    mechanism = kind.typical(1)

    def choices(scores: list[int], count: int) -> np.ndarray:
        return mechanism.choose_each(np.tile(np.array(scores), (count, 1)))

    verdict = audit(choices, inputs=mechanism.neighbours(), epsilon=1, samples=100_000)
    assert verdict.passed, verdict
    assert verdict.lower_bound > 0.6, verdict
