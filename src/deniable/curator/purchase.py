"""What one charge pays for (a question, a batch, a release), the rounds in which it is run, and what is kept of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import pyarrow as pa

from deniable.core.algebra.query import ExactQuery
from deniable.core.event import Event
from deniable.core.loss import Loss


@dataclass(frozen=True, slots=True)
class Round:
    """Exact queries that are run together, and the noise that goes on their answers before anything else is done."""

    queries: tuple[ExactQuery, ...]
    add_noise: Callable[[Sequence[pa.Table]], pa.Table]
    """Exact tables in, in the order of the queries; one noisy table out. Nothing else ever sees the exact ones."""
    kept: Callable[[pa.Table], pa.Table] = lambda exact: exact
    """What is kept of each exact table until all are there: large ones in less room."""


class Purchase(Protocol):
    """Everything that the path from charge to answer needs to know. All but `rounds` follows from public facts alone.

    Promise:  the noise of all rounds together loses at most `loss`, whatever the data are and however noise falls.
    """

    @property
    def text(self) -> str:
        """For people who read the ledger."""

    @property
    def digest(self) -> str:
        """Equal only if the same queries are run with the same noise, and the same is made of them."""

    @property
    def tables(self) -> Sequence[str]:
        """The declared tables that any of its rounds may read."""

    @property
    def queries(self) -> Sequence[ExactQuery]:
        """The queries that are known before the charge, so that what cannot be run is refused for nothing."""

    @property
    def events(self) -> tuple[Event, ...]:
        """What the loss follows from, for all rounds."""

    @property
    def loss(self) -> Loss:
        """The price of all rounds, paid before the first."""

    def rounds(self, noisy: Sequence[pa.Table]) -> Iterator[Round]:
        """One round after the other; `noisy` grows by one table with each, and is what will be recorded.

        A later round may depend on these tables: they are private already, at the price that was paid. It never sees
        an exact one. From the charge on nothing is refused: a round that cannot go on ends, or fails.
        """


def to_bytes(tables: Sequence[pa.Table]) -> bytes:
    """What the ledger keeps of the noisy tables: Arrow's streams, one after the other. Same tables, same bytes.

    Example:
        >>> [table.to_pydict() for table in from_bytes(to_bytes([pa.table({"n": [41]}), pa.table({"n": [7]})]))]
        [{'n': [41]}, {'n': [7]}]
    """
    sink = pa.BufferOutputStream()
    for table in tables:
        with pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table)
    return bytes(sink.getvalue().to_pybytes())


def from_bytes(streams: bytes) -> list[pa.Table]:
    """The tables that were recorded."""
    source, found = pa.BufferReader(streams), []
    while source.tell() < len(streams):
        found.append(pa.ipc.open_stream(source).read_all())
    return found
