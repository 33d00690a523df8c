"""What every local protocol must do: over all that `deniable.local` exports, a new one is held to it at once."""

from __future__ import annotations

import inspect
import re
from collections import Counter
from dataclasses import FrozenInstanceError, fields, is_dataclass, replace
from fractions import Fraction
from math import inf, nan
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest

import deniable.local
from deniable.audit import audit
from deniable.core.errors import InvalidArgumentError
from deniable.local import Protocol, Reports
from deniable.local.families.histogram import HistogramProtocol
from deniable.local.families.mean import MeanProtocol
from tests.support.laws import Event, unlikely

LABELS = ["Input", "Guarantee", "Error", "Message size", "Cost", "Reference", "Proof", "Example"]
ROOT = Path(__file__).parents[2]

KINDS = [
    kind
    for name in deniable.local.__all__
    if inspect.isclass(kind := getattr(deniable.local, name))
    and issubclass(kind, Protocol)
    and not inspect.isabstract(kind)
]
every_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
every_histogram = pytest.mark.parametrize(
    "kind", [kind for kind in KINDS if issubclass(kind, HistogramProtocol)], ids=lambda kind: kind.__name__
)
every_mean = pytest.mark.parametrize(
    "kind", [kind for kind in KINDS if issubclass(kind, MeanProtocol)], ids=lambda kind: kind.__name__
)


def named(row: np.ndarray) -> Any:
    """A report as laws name it: a number, or a tuple of them."""
    return int(row) if np.ndim(row) == 0 else tuple(int(part) for part in row)


def many(value: Any, count: int) -> Any:
    """The same answer, given by so many people."""
    if isinstance(value, dict):
        return {name: np.repeat(part, count) for name, part in value.items()}
    if isinstance(value, Fraction):
        return np.full(count, float(value))
    return (
        np.tile(np.array(value, dtype=np.float64), (count, 1)) if isinstance(value, tuple) else np.repeat(value, count)
    )


def as_data(reports: list[Any], like: np.ndarray) -> np.ndarray:
    """Named reports as the rows that they stand for."""
    return np.array(reports, dtype=like.dtype)


def test_all_of_them_are_here() -> None:
    assert {kind.__name__ for kind in KINDS} >= {
        "WarnerResponse",
        "KaryResponse",
        "SymmetricUnary",
        "OptimizedUnary",
        "LocalHashing",
        "HadamardResponse",
        "ProjectiveGeometry",
        "SubsetSelection",
        "Rappor",
        "Duchi",
        "Piecewise",
        "Hybrid",
        "MeanVector",
        "HeavyHitters",
        "Marginals",
    }


# The theorem is stated


@every_kind
def test_the_docstring_is_a_theorem(kind: type[Protocol]) -> None:
    docstring = inspect.getdoc(kind) or ""
    assert re.findall(r"^([A-Z][a-z]+(?: size)?):", docstring, flags=re.MULTILINE) == LABELS
    assert docstring.splitlines()[0].endswith(".")
    assert ">>>" in docstring.split("Example:")[1]


@every_kind
def test_the_proof_is_written(kind: type[Protocol]) -> None:
    path = re.search(r"^Proof: +(\S+)$", inspect.getdoc(kind) or "", flags=re.MULTILINE)
    assert path is not None
    assert f"`{kind.__name__}`" in (ROOT / path[1]).read_text(encoding="utf-8")


@every_kind
def test_one_file_holds_one_protocol(kind: type[Protocol]) -> None:
    snake = re.sub(r"(?<!^)(?=[A-Z])", "_", kind.__name__).lower()
    assert kind.__module__ == f"deniable.local.protocols.{snake}"


@every_kind
def test_it_is_a_frozen_value(kind: type[Protocol]) -> None:
    protocol = kind.typical(1)
    assert is_dataclass(protocol)
    for item in fields(protocol):
        with pytest.raises(FrozenInstanceError):
            setattr(protocol, item.name, 0)
    assert protocol == kind.typical(1)
    assert hash(protocol) == hash(kind.typical(1))
    assert protocol != kind.typical(2)
    assert protocol.loss.epsilon == protocol.epsilon


@every_kind
def test_nobody_passes_randomness_in(kind: type[Protocol]) -> None:
    public = [member for name, member in inspect.getmembers(kind, callable) if not name.startswith("_")]
    for method in (*public, kind.__init__):
        for name, parameter in inspect.signature(method).parameters.items():
            assert name not in {"bits", "seed", "rng", "random_state", "generator", "random", "source"}
            assert "BitSource" not in str(parameter.annotation)


# Privacy, exactly


@every_kind
@pytest.mark.parametrize("epsilon", ["0.01", "1", "3", "9"])
def test_no_report_is_likelier_by_more_than_the_factor(kind: type[Protocol], epsilon: str) -> None:
    if kind.__name__ in {"HeavyHitters", "LocalHashing"} and epsilon == "9":
        pytest.skip("millions of reports are too many to list; the smaller epsilons have the same code")
    protocol = kind.typical(epsilon)
    laws = [protocol.law(value) for value in protocol.inputs()]
    assert all(sum(law.values()) == 1 for law in laws)
    assert all(law.keys() == laws[0].keys() for law in laws)
    worst = max(
        max(law[report] for law in laws) / least for report in laws[0] if (least := min(law[report] for law in laws))
    )
    assert all(law[report] == 0 for report in laws[0] if not min(law[report] for law in laws) for law in laws)
    with mpmath.workdps(60):
        allowed = mpmath.exp(mpmath.mpf(protocol.epsilon.numerator) / protocol.epsilon.denominator)
        assert mpmath.mpf(worst.numerator) / worst.denominator <= allowed
        assert mpmath.mpf(worst.numerator) / worst.denominator >= allowed * (1 - mpmath.mpf(10) ** -9)  # nothing wasted


@every_kind
def test_reports_follow_their_law(kind: type[Protocol]) -> None:
    # false alarms: 1e-6 for all values of a protocol together, by exact binomial tails
    protocol, trials = kind.typical("1.5"), 30_000
    inputs = protocol.inputs()[:: max(1, len(protocol.inputs()) // 6)]
    events = []
    for value in inputs:
        law = protocol.law(value)
        rows, counts = np.unique(protocol.perturb(many(value, trials)).data, axis=0, return_counts=True)
        seen = Counter({named(row): int(count) for row, count in zip(rows, counts, strict=True)})
        assert seen.keys() <= {report for report, chance in law.items() if chance}
        events += [Event(f"{value}: {report}", seen[report], trials, float(chance)) for report, chance in law.items()]
    assert not unlikely(events)


@every_kind
@pytest.mark.deep
def test_reports_follow_their_law_with_many_samples(kind: type[Protocol]) -> None:
    protocol, trials = kind.typical(1), 2_000_000
    value = protocol.inputs()[-1]
    law = protocol.law(value)
    rows, counts = np.unique(protocol.perturb(many(value, trials)).data, axis=0, return_counts=True)
    seen = Counter({named(row): int(count) for row, count in zip(rows, counts, strict=True)})
    assert not unlikely([Event(str(report), seen[report], trials, float(chance)) for report, chance in law.items()])


@pytest.mark.parametrize("name", ["ProjectiveGeometry", "LocalHashing", "HadamardResponse", "KaryResponse"])
def test_the_audit_passes_where_reports_are_too_many_to_list(name: str) -> None:
    # false alarms: one in a million audits, by the auditor's own theorem
    protocol = getattr(deniable.local, name)(1000, 1)
    verdict = audit(
        lambda value, count: protocol.perturb(np.full(count, value)).data,
        inputs=(3, 997),
        epsilon=1,
        samples=60_000,
        alpha=1e-6,
    )
    assert verdict.passed, verdict


@pytest.mark.parametrize("name", ["Duchi", "Piecewise", "Hybrid"])
def test_the_audit_passes_for_numbers(name: str) -> None:
    # false alarms: as above
    protocol = getattr(deniable.local, name)(1)
    verdict = audit(
        lambda value, count: protocol.perturb(np.full(count, value)).data,
        inputs=(-1.0, 1.0),
        epsilon=1,
        samples=60_000,
        alpha=1e-6,
    )
    assert verdict.passed, verdict
    assert verdict.lower_bound > 0.4  # the window, or the bit, shows the most there is


# No bias, and the variance that is stated


@every_histogram
@pytest.mark.parametrize("epsilon", ["0.5", "2"])
def test_support_has_the_two_chances(kind: type[HistogramProtocol], epsilon: str) -> None:
    protocol = kind.typical(epsilon)
    like = protocol.perturb(protocol.inputs()[0]).data
    reports = list(protocol.law(protocol.inputs()[0]))
    supports = np.array([protocol.support(Reports(protocol.settings, as_data([each], like))) for each in reports])
    assert set(np.unique(supports)) <= {0, 1}
    for place, value in enumerate(protocol.inputs()):
        law = protocol.law(value)
        for other in range(protocol.domain.size):
            chance = sum(law[report] for report, row in zip(reports, supports, strict=True) if row[other])
            assert chance == (protocol.truth if other == place else protocol.lie)


@every_histogram
def test_estimates_are_unbiased_with_the_stated_variance(kind: type[HistogramProtocol]) -> None:
    # a share is a count of independent hits of two kinds; its expectation and variance over the exact chances
    protocol, people, holders = kind.typical(1), 10, 4
    share = Fraction(holders, people)
    mean = share * protocol.truth + (1 - share) * protocol.lie
    assert (mean - protocol.lie) / (protocol.truth - protocol.lie) == share
    spread = holders * protocol.truth * (1 - protocol.truth) + (people - holders) * protocol.lie * (1 - protocol.lie)
    variance = spread / people**2 / (protocol.truth - protocol.lie) ** 2
    assert protocol.variance(people, share) == pytest.approx(float(variance))
    counts = np.arange(people + 1)
    values = [protocol._judge(np.full(protocol.domain.size, count), people, 0.95).value[0] for count in counts]
    assert values == pytest.approx(
        [float((Fraction(int(c), people) - protocol.lie) / (protocol.truth - protocol.lie)) for c in counts]
    )


@every_histogram
def test_the_error_of_many_people_is_as_stated(kind: type[HistogramProtocol]) -> None:
    # 20 surveys of four shares, of which three are free: a chi-squared law with at least 60 degrees of freedom, over
    # its degrees, which leaves [0.25, 2.5] with probability below 1e-8
    protocol, people = kind.typical(1), 50_000
    values = np.repeat(protocol.inputs(), people // 4)
    errors = np.concatenate([protocol.estimate(protocol.perturb(values)).value - 0.25 for _ in range(20)])
    ratio = float(np.mean(errors**2)) / protocol.variance(people, "1/4")
    assert 0.25 < ratio < 2.5


@every_mean
@pytest.mark.parametrize("epsilon", ["0.4", "1", "4"])
def test_scores_are_unbiased_with_the_stated_variance(kind: type[MeanProtocol], epsilon: str) -> None:
    protocol = kind.typical(epsilon)
    for value in protocol.inputs():
        part = float((value - protocol.low) / (protocol.high - protocol.low))
        law = protocol.law(value)
        scores = protocol.scores(np.array(list(law)))
        chances = np.array([float(chance) for chance in law.values()])
        assert chances @ scores == pytest.approx(part, abs=1e-12)
        variance = chances @ (scores - part) ** 2
        assert protocol.part_variance(part) == pytest.approx(variance, rel=1e-9)
        assert np.abs(scores - part)[chances > 0].max() <= protocol.reach + 1e-12
        ends = sorted([protocol.part_variance(0.0), protocol.part_variance(0.5)])
        assert ends[0] - 1e-12 <= variance <= ends[1] + 1e-12
    for value in protocol.inputs()[:-1]:  # and half way to the next point, with a coin between the two
        between = value + (protocol.high - protocol.low) / (2 * (len(protocol.inputs()) - 1))
        law = protocol.law(between)
        scores = protocol.scores(np.array(list(law)))
        chances = np.array([float(chance) for chance in law.values()])
        part = float((between - protocol.low) / (protocol.high - protocol.low))
        assert chances @ scores == pytest.approx(part, abs=1e-12)
        assert chances @ (scores - part) ** 2 <= max(ends) + protocol.grain + 1e-12


# Reports travel, and only to where they belong


@every_kind
def test_reports_survive_the_journey(kind: type[Protocol], tmp_path: Path) -> None:
    protocol = kind.typical(1)
    reports = protocol.perturb(many(protocol.inputs()[-1], 3000))
    again = Reports.from_bytes(reports.to_bytes())
    assert np.array_equal(again.data, reports.data)
    assert again.data.dtype == reports.data.dtype
    reports.save(tmp_path / "reports")
    assert [file.name for file in tmp_path.iterdir()] == ["reports"]
    one, other = protocol.estimate(reports), protocol.estimate(Reports.load(tmp_path / "reports"))
    for mine, theirs in zip(_estimates(one), _estimates(other), strict=True):
        assert np.array_equal(mine.value, theirs.value)
    joined = Reports.join([reports, again])
    assert len(joined) == 6000


def _estimates(found: Any) -> list[Any]:
    return list(found.values()) if isinstance(found, dict) else [found]


@every_kind
def test_reports_of_another_survey_are_refused(kind: type[Protocol]) -> None:
    protocol, other = kind.typical(1), kind.typical(2)
    reports = protocol.perturb(many(protocol.inputs()[-1], 10))
    with pytest.raises(InvalidArgumentError, match=r"^reports were made for another survey: "):
        other.estimate(reports)
    with pytest.raises(InvalidArgumentError, match=r"^reports of different protocols or surveys cannot be joined"):
        Reports.join([reports, other.perturb(many(protocol.inputs()[-1], 10))])
    stranger = next(each for each in KINDS if each is not kind).typical(1)
    with pytest.raises(InvalidArgumentError, match=r"^reports were made for another survey: "):
        stranger.estimate(reports)


@every_kind
def test_what_the_protocol_cannot_have_sent_is_refused(kind: type[Protocol]) -> None:
    protocol = kind.typical(1)
    reports = protocol.perturb(many(protocol.inputs()[-1], 10))
    with pytest.raises(InvalidArgumentError, match=r"^reports must be at least one"):
        protocol.estimate(replace(reports, data=reports.data[:0]))
    for bad in (
        np.full_like(reports.data, np.iinfo(reports.data.dtype).max),
        reports.data.astype(np.float64),
        reports.data[None],
    ):
        with pytest.raises(InvalidArgumentError, match=r"^reports hold a message that this protocol cannot have sent"):
            protocol.estimate(replace(reports, data=bad))
    with pytest.raises(InvalidArgumentError, match=r"^reports must come from `perturb`"):
        protocol.estimate(reports.data)  # type: ignore[arg-type]


@every_kind
def test_truncated_or_damaged_bytes_are_refused(kind: type[Protocol]) -> None:
    text = kind.typical(1).perturb(many(kind.typical(1).inputs()[-1], 10)).to_bytes()
    for length in range(len(text)):
        with pytest.raises(InvalidArgumentError, match=r"^reports "):
            Reports.from_bytes(text[:length])
    damaged = text[:-1] + bytes([text[-1] ^ 1])
    with pytest.raises(InvalidArgumentError, match=r"^reports are incomplete or damaged"):
        Reports.from_bytes(damaged)
    with pytest.raises(InvalidArgumentError, match=r"^reports have format 2; this version reads format 1"):
        Reports.from_bytes(text.replace(b'"format": 1', b'"format": 2'))


# Bad input is named, and draws nothing


@every_kind
@pytest.mark.usefixtures("no_randomness")
@pytest.mark.parametrize("bad", [0, -1, nan, inf, "abc", True, "1e-20"], ids=str)
def test_bad_epsilon_is_named(kind: type[Protocol], bad: Any) -> None:
    with pytest.raises(InvalidArgumentError) as error:
        kind.typical(bad)
    assert error.value.argument == "epsilon"


@every_kind
@pytest.mark.usefixtures("no_randomness")
@pytest.mark.parametrize(
    "bad",
    [None, nan, [nan], [], "outside", 99, -1.5, [0, 99], [[0], [1]], {}, object(), 1j, [None, 1]],
    ids=lambda bad: str(bad).split(" at ")[0],
)
def test_bad_values_are_refused(kind: type[Protocol], bad: Any) -> None:
    protocol = kind.typical(1)
    with pytest.raises(InvalidArgumentError):
        protocol.perturb(bad)
    with pytest.raises(InvalidArgumentError):
        protocol.check(bad)


@every_kind
@pytest.mark.parametrize("bad", [0, 1, "0.3", nan, "abc"], ids=str)
def test_bad_confidence_is_named(kind: type[Protocol], bad: Any) -> None:
    protocol = kind.typical(1)
    reports = protocol.perturb(many(protocol.inputs()[-1], 100))
    with pytest.raises(InvalidArgumentError, match=r"^confidence "):
        protocol.estimate(reports, confidence=bad)
