"""Putting a curator together: from a policy file, or around a frame in a notebook."""

from __future__ import annotations

import tempfile
import weakref
from collections.abc import Collection, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from deniable.core.algebra.expression import Kind
from deniable.core.errors import InvalidArgumentError, Refused
from deniable.core.number import Number, exact
from deniable.curator.ask import Curator
from deniable.curator.check import ensure, ensure_all
from deniable.engines import DuckDB
from deniable.files.fingerprint import Contents, content
from deniable.files.frames import arrow
from deniable.files.kinds import kind_of, misfit, unit_kind_of
from deniable.ledger import Holding, Ledger, claimed, note
from deniable.policy import Policy, load, terms_of

TABLE = "data"
"""What a protected frame is called in questions."""


def open_policy(path: str | Path, *, analyst: str | None = None) -> Curator:
    """The curator of a policy file. Its ledger must be there: see `create`.

    With `analyst`, whatever is asked is asked by that analyst and paid from that share, unless a call names another.
    """
    policy = _for(analyst, load(path))
    engine = _fitting(policy)
    ledger = Ledger.open(policy.ledger, policy.population)
    try:
        ledger.require(terms_of(policy))
    except Refused:
        ledger.close()
        engine.close()
        raise
    return Curator(policy, engine, ledger, analyst)


def create(path: str | Path, *, analyst: str | None = None, reason: str = "") -> Curator:
    """A new, empty ledger for a policy file, once; and the curator on top of it. With `analyst`, as `open`.

    Data that has an account already gets no second one, unless `reason` says why: one population, one budget.
    """
    policy = _for(analyst, load(path))
    engine = _fitting(policy)
    ensure_all(policy, engine)
    try:
        with claimed(_holding(policy, reason)):
            ledger = Ledger.create(policy.ledger, policy.population, terms_of(policy), reason)
    except Refused:
        engine.close()
        raise
    return Curator(policy, engine, ledger, analyst)


def adopt(path: str | Path, reason: str, *, confirmed: bool = False, raising: bool = False) -> list[str]:
    """Accept what a policy file has changed since its account was last used; the ledger keeps it, with the reason.

    Returns the changes in words. A table that becomes public, or has another source, must be `confirmed`; a larger
    budget is accepted only if `raising` says that it is one. Unit, neighbours and the division of delta cannot change
    once something was spent: the sums so far were kept for them.

    Raises:
        Refused: the change is none of these, or is not said to be the one that it is.
    """
    policy = load(path)
    with closing(Ledger.open(policy.ledger, policy.population)) as ledger:
        words = ledger.accept(terms_of(policy), reason, confirmed=confirmed, raising=raising)
    note(_holding(policy, reason))
    return words


def protect(
    frame: Any,  # noqa: ANN401 - pandas, Polars or Arrow
    *,
    epsilon: Number,
    delta: Number | None = None,
    unit: str | None = None,
    contribution: int | None = None,
    bounds: Mapping[str, tuple[Any, Any]] | None = None,
    values: Mapping[str, Sequence[Any]] | None = None,
    steps: Mapping[str, Number] | None = None,
    limits: Mapping[str, Number] | None = None,
    neighbours: str = "add-remove",
    name: str = TABLE,
) -> Curator:
    """A curator around one frame, for a notebook: asked as table `data`, with a ledger that lives as long as it does.

    Nothing is guessed from the data: columns without bounds cannot be summed, columns without values are private keys.
    `limits` are those of a policy, such as `{"questions_per_day": 5000}`.

    Example:
        >>> import pyarrow as pa
        >>> people = pa.table({"age": [31, 47, 52] * 400, "town": ["north", "south", "south"] * 400})
        >>> curator = protect(people, epsilon=2, bounds={"age": (0, 110)}, values={"town": ["north", "south"]})
        >>> answer = curator.ask("SELECT town, COUNT(*) AS n, AVG(age) AS age FROM data GROUP BY town", epsilon=1)
        >>> answer.table["town"].to_pylist()
        ['north', 'south', None]
        >>> float(curator.budget().spent.epsilon)
        1.0
        >>> curator.close()
    """
    import pyarrow.parquet as pq  # noqa: PLC0415 - questions of a policy's files do without

    table = _declarable(arrow(frame), {unit, *(bounds or {}), *(values or {}), *(steps or {})})
    folder = tempfile.TemporaryDirectory(prefix="deniable-")
    source = Path(folder.name) / f"{name}.parquet"
    pq.write_table(table, source)
    columns = {column.name: _column(column, unit, bounds or {}, values or {}, steps or {}) for column in table.schema}
    declared: dict[str, object] = {"source": str(source), "columns": columns}
    declared |= {"unit": unit} if unit is not None else {}
    declared |= {"contribution": contribution} if contribution is not None else {}
    budget: dict[str, object] = {"epsilon": epsilon}
    if delta is not None:  # half of it is kept for private group keys
        budget |= {"delta": delta, "delta_for_keys": exact("delta", delta) / 2}
    policy = Policy.from_mapping(
        {
            "population": {"name": name, "neighbours": neighbours},
            "budget": budget,
            "limits": limits,
            "tables": {name: declared},
        },
        origin="protect",
        folder=Path(folder.name),
    )
    curator = Curator(policy, engine_of(policy), Ledger.memory(policy.population))
    weakref.finalize(curator.engine, folder.cleanup)
    return curator


def rehearse(policy: Policy, tables: Mapping[str, pa.Table], folder: Path, *, analyst: str | None = None) -> Curator:
    """The policy on made-up tables, which are written into a folder, with a ledger in memory.

    Every declared table is replaced, so no private row is read; nothing is charged to the policy's own account.
    """
    import pyarrow.parquet as pq  # noqa: PLC0415 - questions of a policy's files do without

    declared = {}
    for name, table in policy.tables.items():
        source = folder / f"{name}.parquet"
        pq.write_table(tables[name], source)
        declared[name] = replace(table, source=str(source))
    made_up = replace(policy, tables=declared)
    return Curator(made_up, engine_of(made_up), Ledger.memory(policy.population), analyst)


def _for(analyst: str | None, policy: Policy) -> Policy:
    """The policy, if the analyst for whom it is opened may ask at all."""
    if analyst is not None:
        policy.accounts(analyst)
    return policy


def _holding(policy: Policy, reason: str) -> Holding:
    """The private data that the policy's account answers for."""
    private = {table.source: table.file for table in policy.tables.values() if not table.public}
    try:
        sources = {source: content(file).hex() for source, file in private.items() if source and file}
    except OSError as error:
        raise Refused(
            "data-unavailable", f"The data cannot be read: {error.strerror}.", "See: deniable check"
        ) from None
    return Holding(policy.ledger, policy.population, sources, reason)


def _fitting(policy: Policy) -> DuckDB:
    """The engine, if the files are as the policy says."""
    engine = engine_of(policy, _contents(policy))
    ensure(policy, engine)
    return engine


def _contents(policy: Policy) -> Contents:
    """Under the key beside the ledger; where there can be none, one that is forgotten: the ledger will say why."""
    try:
        return Contents.beside(Path(policy.ledger.removeprefix("sqlite:///")).parent)
    except OSError:
        return Contents()


def engine_of(policy: Policy, contents: Contents | None = None) -> DuckDB:
    """The engine that the policy names, over the files that it declares, which it tells apart under a key."""
    settings = policy.engine
    sources = {name: file for name, table in policy.tables.items() if (file := table.file) is not None}
    return DuckDB(sources, settings.seconds, settings.memory, settings.threads, contents)


def _declarable(table: pa.Table, named: Collection[str | None]) -> pa.Table:
    """The columns that a policy can declare: others do not exist for questions, and cannot be named by the caller."""
    for column in table.schema:
        if column.name in named and kind_of(column.type) is None:
            raise InvalidArgumentError("frame", f"has a column {column.name!r} that {misfit(column.type, Kind.TEXT)}")
    return table.select([column.name for column in table.schema if kind_of(column.type) is not None])


def _column(
    column: pa.Field,
    unit: str | None,
    bounds: Mapping[str, tuple[Any, Any]],
    values: Mapping[str, Sequence[Any]],
    steps: Mapping[str, Number],
) -> dict[str, object]:
    """A column's declaration: its kind from the frame's type, everything else from the caller."""
    kind = unit_kind_of(column.type) if column.name == unit else kind_of(column.type)
    declared: dict[str, object] = {} if kind is None else {"type": kind.value}
    declared |= {"bounds": list(bounds[column.name])} if column.name in bounds else {}
    declared |= {"values": list(values[column.name])} if column.name in values else {}
    return declared | ({"step": steps[column.name]} if column.name in steps else {})
