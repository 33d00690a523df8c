"""The local model beside pure-ldp and multi-freq-ldpy: CPU seconds from true values to estimates, and their error.

Run: python -m benchmarks.local [people]

Peers are called as their documentation shows, one respondent at a time; where that would take long they are timed on
fewer respondents and scaled up, which is marked with ~. A peer that cannot be imported is left out.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import exp
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deniable.local import (
    HadamardResponse,
    KaryResponse,
    LocalHashing,
    OptimizedUnary,
    ProjectiveGeometry,
    SubsetSelection,
    SymmetricUnary,
    choose,
)
from deniable.local.families.histogram import HistogramProtocol

_EPSILON = 1.0
_DOMAINS = (100, 10_000)
_LIMIT = 4 * exp(_EPSILON) / (exp(_EPSILON) - 1) ** 2
_SECONDS = 8.0
"""A peer that would take longer is timed on fewer respondents."""
_FEW = 50_000
"""Respondents for the errors, which do not depend on their number once it is multiplied in."""
_MOST_BITS = 4e9
"""Unary encodings of more bits than this are timed on fewer respondents too."""

Values = NDArray[np.int64]
Run = Callable[[Values, int], NDArray[np.float64]]
"""Values and the size of their domain -> estimated shares, or counts."""


@dataclass(frozen=True)
class _Peer:
    name: str
    run: Run


def main(people: int = 1_000_000) -> None:
    """One table for each domain."""
    peers = _peers()
    for domain in _DOMAINS:
        values = np.random.default_rng(1).zipf(1.5, people) % domain
        chosen = choose(domain, _EPSILON)
        print(f"\n{people:,} people, domain {domain:,}, epsilon {_EPSILON:g}; the limit of n times MSE is {_LIMIT:.2f}")
        print(f"chosen: {chosen.reason}\n")
        print(f"{'protocol':<22}{'perturb':>9}{'estimate':>9}{'bits':>8}{'n MSE':>9}{'theory':>9}   peers (times ours)")
        for kind in (
            KaryResponse,
            HadamardResponse,
            ProjectiveGeometry,
            LocalHashing,
            OptimizedUnary,
            SymmetricUnary,
            SubsetSelection,
        ):
            _line(kind(domain, _EPSILON), values, peers.get(kind.__name__, []))


def _line(protocol: HistogramProtocol, values: Values, peers: list[_Peer]) -> None:
    """Ours, then each peer's time as a multiple."""
    domain = protocol.domain.size
    bits = protocol.perturb(values[:1]).bits
    few = values[: max(1000, int(_MOST_BITS / bits))]
    scale = values.size / few.size
    start = time.process_time()
    reports = protocol.perturb(few)
    middle = time.process_time()
    protocol.estimate(reports)
    end = time.process_time()
    times = [("~" if scale > 1 else "") + f"{seconds * scale:.3f}" for seconds in (middle - start, end - middle)]
    said = []
    for peer in peers:
        seconds, scaled = _timed(peer.run, values, domain)
        said.append(f"{peer.name} {scaled}{seconds:.3g} ({seconds / (end - start) / scale:,.0f}x)")
    error, theory = _errors(protocol, values[:_FEW])
    name = type(protocol).__name__
    print(
        f"{name:<22}{times[0]:>9}{times[1]:>9}{bits:>8}{error:>9.2f}{theory:>9.2f}   {', '.join(said)}",
        flush=True,
    )


def _errors(protocol: HistogramProtocol, values: Values) -> tuple[float, float]:
    """The mean squared error over ten thousand shares or more, and what theory says, both times n."""
    domain = protocol.domain.size
    truth = np.bincount(values, minlength=domain) / values.size
    found = [protocol.estimate(protocol.perturb(values)).value for _ in range(max(1, 10_000 // domain))]
    error = float(np.mean([(estimate - truth) ** 2 for estimate in found]))
    theory = float(np.mean([protocol.variance(values.size, share) for share in truth]))
    return values.size * error, values.size * theory


def _timed(run: Run, values: Values, domain: int) -> tuple[float, str]:
    """CPU seconds for all values; on part of them, if all would take long."""
    run(values[:10], domain)  # compiles, where a peer does
    size = 50
    while True:
        start = time.process_time()
        run(values[:size], domain)
        seconds = time.process_time() - start
        if size == values.size:
            return seconds, ""
        if seconds > _SECONDS / 8:
            return seconds * values.size / size, "~"
        size = min(values.size, size * 4)


def _peers() -> dict[str, list[_Peer]]:
    """By the name of our protocol."""
    found: dict[str, list[_Peer]] = {}
    for make in (_pure_ldp, _multi_freq):
        try:
            for name, peer in make():
                found.setdefault(name, []).append(peer)
        except ImportError as error:
            print(f"left out: {make.__name__[1:]} ({error})")
    return found


def _pure_ldp() -> Iterator[tuple[str, _Peer]]:
    """Clients and servers of pure-ldp."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pure_ldp import frequency_oracles as oracles

    def run(client: Callable[[int, Any], Any], server: Callable[[int], Any]) -> Run:
        def both(values: Values, domain: int) -> NDArray[np.float64]:
            collector = server(domain)
            respondent = client(domain, collector)
            for value in values.tolist():
                collector.aggregate(respondent.privatise(value + 1))
            return np.array([collector.estimate(value + 1, suppress_warnings=True) for value in range(domain)])

        return both

    yield (
        "KaryResponse",
        _Peer("pure-ldp", run(lambda d, _: oracles.DEClient(_EPSILON, d), lambda d: oracles.DEServer(_EPSILON, d))),
    )
    yield (
        "HadamardResponse",
        _Peer(
            "pure-ldp",
            run(
                lambda d, server: oracles.HadamardResponseClient(_EPSILON, d, server.get_hash_funcs()),
                lambda d: oracles.HadamardResponseServer(_EPSILON, d),
            ),
        ),
    )
    yield (
        "LocalHashing",
        _Peer(
            "pure-ldp",
            run(
                lambda d, _: oracles.LHClient(_EPSILON, d, use_olh=True),
                lambda d: oracles.LHServer(_EPSILON, d, use_olh=True),
            ),
        ),
    )
    for name, optimal in (("OptimizedUnary", True), ("SymmetricUnary", False)):
        yield (
            name,
            _Peer(
                "pure-ldp",
                run(
                    lambda d, _, optimal=optimal: oracles.UEClient(_EPSILON, d, use_oue=optimal),  # type: ignore[misc]
                    lambda d, optimal=optimal: oracles.UEServer(_EPSILON, d, use_oue=optimal),  # type: ignore[misc]
                ),
            ),
        )


def _multi_freq() -> Iterator[tuple[str, _Peer]]:
    """Functions of multi-freq-ldpy, whose estimates are clipped and renormalised."""
    from multi_freq_ldpy.pure_frequency_oracles.GRR import GRR_Aggregator_MI, GRR_Client
    from multi_freq_ldpy.pure_frequency_oracles.LH import LH_Aggregator_MI, LH_Client
    from multi_freq_ldpy.pure_frequency_oracles.SS import SS_Aggregator_MI, SS_Client
    from multi_freq_ldpy.pure_frequency_oracles.UE import UE_Aggregator_MI, UE_Client

    def grr(values: Values, domain: int) -> NDArray[np.float64]:
        return np.asarray(
            GRR_Aggregator_MI([GRR_Client(value, domain, _EPSILON) for value in values], domain, _EPSILON)
        )

    def hashing(values: Values, domain: int) -> NDArray[np.float64]:
        return np.asarray(LH_Aggregator_MI([LH_Client(value, domain, _EPSILON) for value in values], domain, _EPSILON))

    def subset(values: Values, domain: int) -> NDArray[np.float64]:
        return np.asarray(SS_Aggregator_MI([SS_Client(value, domain, _EPSILON) for value in values], domain, _EPSILON))

    def unary(values: Values, domain: int, *, optimal: bool) -> NDArray[np.float64]:
        return np.asarray(
            UE_Aggregator_MI([UE_Client(value, domain, _EPSILON, optimal) for value in values], _EPSILON, optimal)
        )

    yield "KaryResponse", _Peer("multi-freq-ldpy", grr)
    yield "LocalHashing", _Peer("multi-freq-ldpy", hashing)
    yield "SubsetSelection", _Peer("multi-freq-ldpy", subset)
    yield "OptimizedUnary", _Peer("multi-freq-ldpy", lambda values, domain: unary(values, domain, optimal=True))
    yield "SymmetricUnary", _Peer("multi-freq-ldpy", lambda values, domain: unary(values, domain, optimal=False))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
