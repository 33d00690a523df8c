"""How fast noise is drawn, beside OpenDP (exact as well) and NumPy (floats, not safe to release).

Run:  python -m benchmarks.samplers
"""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

import numpy as np
from rich.console import Console
from rich.table import Table

from deniable.core.bits import OperatingSystem
from deniable.core.sampling import IntArray, discrete_gaussian, discrete_laplace

SCALES = (1, 10, 1000, 10**6, 10**12)
OURS = 1_000_000
PEERS = 20_000
"""Draws per measurement: OpenDP takes as long for these as we do for a million."""
REPEATS = 3

Draw = Callable[[int], object]


@dataclass(frozen=True)
class Row:
    """One law at one scale: draws per CPU second, and the most memory that a million draws held at once."""

    law: str
    scale: int
    first: float
    ours: float
    opendp: float | None
    numpy: float
    peak: int


def main() -> None:
    """Print the table."""
    peers = _opendp()
    table = Table(
        title="Draws per CPU second, on one core",
        caption=f"best of {REPEATS}, after a first draw that builds a scale's tables; NumPy's floats are not private",
    )
    for name in (
        "law",
        "scale",
        "first draw",
        "deniable",
        "OpenDP",
        "NumPy",
        "ours/OpenDP",
        "ours/NumPy",
        "peak of 1M",
    ):
        table.add_column(name, justify="left" if name == "law" else "right", no_wrap=True)
    for law in ("Laplace", "Gaussian"):
        for scale in SCALES:
            table.add_row(*_cells(_measure(law, scale, peers)))
        table.add_section()
    console = Console(width=120)
    console.print(table)
    if peers is None:
        console.print("OpenDP is not installed, so its columns are empty: pip install 'deniable[bench]'")


def _measure(law: str, scale: int, peers: Callable[[str, int], Draw] | None) -> Row:
    """All three at this scale, one after the other, in this process."""
    ours = partial(_ours, law, scale)
    start = time.process_time()
    ours(1)
    first = time.process_time() - start
    return Row(
        law=law,
        scale=scale,
        first=first,
        ours=_speed(ours, OURS),
        opendp=None if peers is None else _speed(peers(law, scale), PEERS),
        numpy=_speed(_numpy(law, scale), OURS),
        peak=_peak(ours, OURS),
    )


def _ours(law: str, scale: int, count: int) -> IntArray:
    """Fresh bits for every draw, as in a release."""
    if law == "Laplace":
        return discrete_laplace(Fraction(scale), count, OperatingSystem())
    return discrete_gaussian(Fraction(scale) ** 2, count, OperatingSystem())


def _numpy(law: str, scale: int) -> Draw:
    """Floats from a generator that was not made for secrets."""
    generator = np.random.default_rng()
    draw = generator.laplace if law == "Laplace" else generator.normal
    return lambda count: draw(0.0, float(scale), count)


def _opendp() -> Callable[[str, int], Draw] | None:
    """A maker of OpenDP's mechanisms on vectors of 64-bit integers, or None if it is not installed."""
    try:
        import opendp.prelude as dp
    except ImportError:
        return None
    dp.enable_features("contrib")

    def make(law: str, scale: int) -> Draw:
        domain = dp.vector_domain(dp.atom_domain(T="i64"))
        if law == "Laplace":
            noise = dp.m.make_laplace(domain, dp.l1_distance(T="i64"), scale=float(scale))
        else:
            noise = dp.m.make_gaussian(domain, dp.l2_distance(T="f64"), scale=float(scale))
        return lambda count: noise(np.zeros(count, dtype=np.int64))

    return make


def _speed(draw: Draw, count: int) -> float:
    """Draws per second of this process' CPU time, all threads together."""
    seconds = []
    for _ in range(REPEATS):
        start = time.process_time()
        draw(count)
        seconds.append(time.process_time() - start)
    return count / min(seconds)


def _peak(draw: Draw, count: int) -> int:
    """Bytes that Python and NumPy held at most, the result included."""
    tracemalloc.start()
    try:
        draw(count)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def _cells(row: Row) -> list[str]:
    """As people read it."""
    return [
        row.law,
        f"{row.scale:g}",
        f"{1000 * row.first:.1f} ms",
        _millions(row.ours),
        "-" if row.opendp is None else _millions(row.opendp),
        _millions(row.numpy),
        "-" if row.opendp is None else f"{row.ours / row.opendp:.0f} x",
        f"{row.ours / row.numpy:.2f} x",
        f"{row.peak / 1e6:.0f} MB",
    ]


def _millions(speed: float) -> str:
    """Millions per second."""
    return f"{speed / 1e6:.2f} M/s"


if __name__ == "__main__":
    main()
