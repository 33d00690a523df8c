"""From a file without bounds to answers: profile it, apply what it suggests, hold notes and quotes against the truth.

Printed by:  python -m benchmarks.intervals
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray
from rich.table import Table

import deniable
from deniable.curator import Curator, adopt, create
from deniable.releases.profile.profile import Profile
from deniable.releases.profile.suggest import applied, suggestions

ROWS, UNITS = 336_776, 4_043
CARRIERS = [f"C{number:02d}" for number in range(16)]
BY_CARRIER = (
    "SELECT carrier, COUNT(*) AS n, AVG(delay) AS delay, AVG(distance) AS distance FROM flights GROUP BY carrier"
)
RHO, EPSILON = "0.02", "1"
SMALLER = 30
"""Rows of one aircraft that averages are asked with."""
Values = NDArray[np.float64]


@dataclass(frozen=True)
class Story:
    """What came of one journey: the notes beside the true cuts, and errors as quoted and as paid."""

    contribution: int
    """As suggested and applied."""
    cuts: dict[int, tuple[float, float, float]]
    """By contribution: what the note says at least, the truth, and what it says at most."""
    errors: dict[str, tuple[float, float]]
    """Of averages, in the carrier of middle size: as quoted, and as paid."""
    correlation: tuple[float, float, float]
    """Low, exact and high, for epsilon 0.3."""


def flights(path: Path, rows: int = ROWS, units: int = UNITS) -> dict[str, Values]:
    """Flights by aircraft: a few fly very often, some carriers are large, and delays have a long tail."""
    random = np.random.default_rng(13)
    often = random.lognormal(0, 1.3, units)
    plane = np.repeat(np.arange(units), random.multinomial(rows - units, often / often.sum()) + 1)
    sizes = 1.0 / np.arange(1, len(CARRIERS) + 1) ** 0.7
    owner = random.choice(len(CARRIERS), units, p=sizes / sizes.sum())
    distance = np.round(random.gamma(3, 350, rows) + 80)
    columns = {
        "plane": plane,
        "carrier": owner[plane],
        "delay": np.round(random.gamma(0.5, 50, rows) - 12),
        "distance": distance,
        "minutes": np.round(distance / 7.5 + random.normal(25, 8, rows)).clip(15),
    }
    pq.write_table(pa.table({**columns, "carrier": pa.array(CARRIERS).take(pa.array(columns["carrier"]))}), path)
    return columns


def journey(folder: Path, rows: int = ROWS, units: int = UNITS, rho: str = RHO) -> Story:
    """Draft, profile, apply, ask."""
    data = flights(folder / "flights.parquet", rows, units)
    policy = folder / "flights.toml"
    policy.write_text(_draft())
    with create(policy, reason="a benchmark") as curator:
        profile = curator.profile(rho=rho)
        found = suggestions(profile, curator.policy.budget.epsilon / 20)
    text, left = applied(policy.read_text(), found, profile.release)
    if left:
        raise ValueError(f"no place for {left}")
    policy.write_text(text)
    adopt(policy, "suggestions of the profile")
    with deniable.open(policy) as curator:
        return _asked(curator, profile, data)


def _asked(curator: Curator, profile: Profile, data: dict[str, Values]) -> Story:
    table = curator.policy.tables["flights"]
    per_plane = np.unique(data["plane"], return_counts=True)[1]
    told = profile.tables["flights"].people
    known = per_plane[per_plane <= (told.known if told is not None else 0)]  # as far as the profile speaks of rows
    count = curator.ask("SELECT COUNT(*) AS n FROM flights", epsilon=EPSILON)
    quote = curator.explain(BY_CARRIER, epsilon=EPSILON, contribution=SMALLER)
    answer = curator.ask(BY_CARRIER, epsilon=EPSILON, contribution=SMALLER)
    cuts = {}
    for most, notes in ((table.contribution, count.notes), (SMALLER, answer.notes)):
        low, high = _noted(notes)
        cuts[most] = (low, float(np.maximum(0, known - most).sum() / known.sum()), high)
    ends = answer.intervals.to_pydict()
    middle = int(np.argsort(answer.table["n"].to_numpy())[len(CARRIERS) // 2])
    errors = {
        line.column: (line.error, (ends[f"{line.column}_high"][middle] - ends[f"{line.column}_low"][middle]) / 2)
        for line in quote.lines
        if line.column in ("delay", "distance")
    }
    sql = "SELECT CORR(distance, minutes) AS r FROM flights"
    (found,) = curator.ask(sql, epsilon="0.3", contribution=SMALLER).intervals.to_pylist()
    exact = float(np.corrcoef(data["distance"], data["minutes"])[0, 1])
    return Story(table.contribution, cuts, errors, (found["r_low"], exact, found["r_high"]))


def _noted(notes: Sequence[str]) -> tuple[float, float]:
    """What the first note of the profile says about rows that are left out."""
    note = next(note for note in notes if note.startswith("profile: contribution "))
    shares = [float(share) / 100 for share in re.findall(r"([\d.]+)%", note.split(" of the rows")[0])]
    return (0.0 if len(shares) == 1 else shares[0]), shares[-1] + 0.0005  # as it is rounded


def stories(folder: Path, runs: int) -> Table:
    """A few journeys, each with noise of its own."""
    table = Table(
        title=f"From no bounds to answers: {ROWS:,} rows by {UNITS:,} units, profile at rho {RHO}, epsilon {EPSILON}",
        caption="cut: what the notes say of the rows that a contribution leaves out, of people whose rows the profile\n"
        "can tell, and the truth; as applied, and the smaller one that averages were asked with. Averages: paid and\n"
        "quoted error in the carrier of middle size (aim: within a factor 1.5). CORR: at epsilon 0.3",
    )
    for name in ("cut as applied", "smaller", "delay", "distance", "CORR (exact)"):
        table.add_column(name, justify="right", no_wrap=True)
    for run in range(runs):
        place = folder / f"journey-{run}"
        place.mkdir()
        story = journey(place)
        cuts = [f"{most}: {low:.1%} to {high:.1%} ({true:.1%})" for most, (low, true, high) in story.cuts.items()]
        ratios = [f"± {paid:.3g} / {quoted:.3g} = {paid / quoted:.2f}" for quoted, paid in story.errors.values()]
        low, exact, high = story.correlation
        table.add_row(*cuts, *ratios, f"{low:.2f} to {high:.2f} ({exact:.2f})")
    return table


def _draft() -> str:
    """As `deniable init` writes it, and nothing looked up: no bounds, and a contribution of one."""
    values = ", ".join(f'"{carrier}"' for carrier in CARRIERS)
    return f"""
[population]
name = "flights"

[budget]
epsilon = 20
delta = 1e-6

[tables.flights]
source = "flights.parquet"
unit = "plane"
contribution = 1

[tables.flights.columns]
plane = {{ type = "integer" }}
carrier = {{ type = "text", values = [{values}], nulls = false }}
delay = {{ type = "number", nulls = false }}
distance = {{ type = "number", nulls = false }}
minutes = {{ type = "number", nulls = false }}
"""
