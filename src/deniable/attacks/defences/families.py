"""Which defences an attack can be run against, by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from deniable.attacks import defences as every
from deniable.attacks.population import DISEASES, ZIPS
from deniable.core.number import Number

Kind = TypeVar("Kind", bound=every.Defence)


def guards(epsilon: Number, neighbours: str = "replace") -> Mapping[str, every.Guard]:
    """Those that answer questions about sums."""
    return _by_name(
        (
            every.Exact(),
            every.QuerySetSize(),
            every.SumAudit(),
            every.Subsample(),
            every.InputNoise(),
            every.Rounding(),
            every.UniformNoise(),
            every.NaiveLaplace(),
            every.RememberingTexts(),
            every.RememberingSets(),
            every.CuratorGuard(epsilon, neighbours),
        )
    )


def auditors_of_bits(epsilon: Number) -> Mapping[str, every.Guard]:
    """Those that count bits and refuse."""
    return _by_name((every.Exact(), every.OfflineBitAudit(), every.SimulatableBitAudit(), every.CuratorGuard(epsilon)))


def auditors_of_maxima(epsilon: Number) -> Mapping[str, every.Guard]:
    """Those that say a maximum and refuse."""
    return _by_name((every.Exact(), every.OfflineMaxAudit(), every.SimulatableMaxAudit(), every.CuratorGuard(epsilon)))


def publishers(epsilon: Number, values: Sequence[str] = DISEASES) -> Mapping[str, every.Publisher]:
    """Defences that publish a table, by name."""
    return _by_name(
        (
            every.Deidentified(),
            every.KAnonymous(),
            every.LDiverse(l=min(3, len(values))),
            every.TClose(),
            every.NoisyCounts(epsilon, values, ZIPS),
        )
    )


def synthesizers(epsilon: Number) -> Mapping[str, every.Synthesizer]:
    """Defences that make up rows, by name."""
    return _by_name((every.CopiedRows(), every.ShuffledColumns(), every.CuratorTables(epsilon)))


def recommenders(epsilon: Number) -> Mapping[str, every.Recommender]:
    """Defences that rank, by name."""
    return _by_name((every.Deterministic(), every.RandomizedProfile(epsilon), every.ExponentialChoice(epsilon)))


def trainers(epsilon: Number) -> Mapping[str, every.Trainer]:
    """Defences that train, by name."""
    return _by_name((every.PlainTraining(), every.RegularisedTraining(), every.NoisyGradients(epsilon)))


def _by_name(defences: Iterable[Kind]) -> dict[str, Kind]:
    return {defence.name: defence for defence in defences}
