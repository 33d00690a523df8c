"""Putting a curator together: from a policy file, or around a frame in a notebook."""

from __future__ import annotations

import tempfile
import weakref
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from deniable.core.algebra.expression import Kind
from deniable.core.errors import InvalidArgumentError, Refused
from deniable.core.number import Number, exact
from deniable.curator.curator import Curator
from deniable.curator.custodian.accounts import holding
from deniable.curator.custodian.check import ensure, ensure_all
from deniable.engines import Engine
from deniable.engines import engine_of as engine_of  # noqa: PLC0414 - for whoever checks a policy without an account
from deniable.engines import role_of as role_of  # noqa: PLC0414 - same
from deniable.files.fingerprint import Contents
from deniable.files.frames import arrow
from deniable.files.kinds import is_instant, kind_of, misfit, unit_kind_of
from deniable.ledger import Ledger, claimed
from deniable.policy import Policy, load, terms_of

TABLE = "data"
"""What a protected frame is called in questions."""


def open_policy(path: str | Path, *, analyst: str | None = None) -> Curator:
    """The curator of a policy file. Its ledger must be there: see `create`.

    With `analyst`, whatever is asked is asked by that analyst and paid from that share, unless a call names another.
    """
    policy = _for(analyst, load(path))
    engine = _fitting(policy, _contents(policy))
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
    contents = _contents(policy)
    engine = _fitting(policy, contents)
    ensure_all(policy, engine)
    try:
        with claimed(holding(policy, engine, reason)):
            ledger = Ledger.create(policy.ledger, policy.population, terms_of(policy), reason, contents.key)
    except Refused:
        engine.close()
        raise
    return Curator(policy, engine, ledger, analyst)


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
    zone: str | None = None,
    name: str = TABLE,
) -> Curator:
    """A curator around one frame, for a notebook: asked as table `data`, with a ledger that lives as long as it does.

    Nothing is guessed from the data: columns without bounds cannot be summed, columns without values are private keys.
    `limits` are those of a policy, such as `{"questions_per_day": 5000}`. Timestamps with a time zone are read in
    `zone`, or, unless that is said, in the one zone that all of them have.

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

    whole = arrow(frame)
    where = zone or _zone(whole)
    table = _declarable(whole, unit, {*(bounds or {}), *(values or {}), *(steps or {})})
    folder = tempfile.TemporaryDirectory(prefix="deniable-")
    source = Path(folder.name) / f"{name}.parquet"
    pq.write_table(table, source)
    columns = {column.name: _column(column, unit, bounds or {}, values or {}, steps or {}) for column in table.schema}
    declared: dict[str, object] = {"source": str(source), "columns": columns}
    declared |= {"unit": unit} if unit is not None else {}
    declared |= {"contribution": contribution} if contribution is not None else {}
    budget: dict[str, object] = {"epsilon": exact("epsilon", epsilon)}
    if delta is not None:  # half of it is kept for private group keys
        budget |= {"delta": exact("delta", delta), "delta_for_keys": exact("delta", delta) / 2}
    policy = Policy.from_mapping(
        {
            "population": {"name": name, "neighbours": neighbours} | ({"zone": where} if where is not None else {}),
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
        declared[name] = replace(table, source=str(source), remote=False)
    made_up = replace(policy, tables=declared, engine=replace(policy.engine, kind="duckdb"))
    return Curator(made_up, engine_of(made_up), Ledger.memory(policy.population), analyst)


def _for(analyst: str | None, policy: Policy) -> Policy:
    """The policy, if the analyst for whom it is opened may ask at all."""
    if analyst is not None:
        policy.accounts(analyst)
    return policy


def _fitting(policy: Policy, contents: Contents) -> Engine:
    """The engine, if the files are as the policy says."""
    engine = engine_of(policy, contents)
    ensure(policy, engine)
    return engine


def _contents(policy: Policy) -> Contents:
    """Under the account's own key, so that the same data are the same to everybody who uses it.

    Where there is none yet, under one that a new account on a server takes over, and that is forgotten otherwise.
    """
    try:
        key = Ledger.key(policy.ledger, policy.population)
    except Refused:
        key = None  # the ledger will say why
    return Contents() if key is None else Contents(key, policy.place.parent)


def _declarable(table: pa.Table, unit: str | None, named: Collection[str]) -> pa.Table:
    """The columns that a policy can declare: others do not exist for questions, and cannot be named by the caller."""
    absent = sorted(set(named).difference(table.schema.names))
    if absent:
        what = f"has no column {absent[0]!r}, about which something is said: it has {', '.join(table.schema.names)}"
        raise InvalidArgumentError("frame", what)
    for column in table.schema:
        read = kind_of(column.type) is not None or (is_instant(column.type) and column.name != unit)
        if (column.name in named or column.name == unit) and not read:
            raise InvalidArgumentError("frame", f"has a column {column.name!r} that {misfit(column.type, Kind.TEXT)}")
    kept = [one.name for one in table.schema if kind_of(one.type) is not None or is_instant(one.type)]
    return table.select(kept)


def _zone(table: pa.Table) -> str | None:
    """The time zone in which the frame itself shows its instants, if it is one."""
    found = [column.type for column in table.schema if is_instant(column.type)]
    zones = {str(getattr(one, "value_type", one).tz) for one in found}
    if len(zones) > 1:
        raise InvalidArgumentError(
            "zone", f"must say where instants are read: the frame has {', '.join(sorted(zones))}"
        )
    return next(iter(zones), None)


def _column(
    column: pa.Field,
    unit: str | None,
    bounds: Mapping[str, tuple[Any, Any]],
    values: Mapping[str, Sequence[Any]],
    steps: Mapping[str, Number],
) -> dict[str, object]:
    """A column's declaration: its kind from the frame's type, everything else from the caller."""
    kind = unit_kind_of(column.type) if column.name == unit else kind_of(column.type)
    kind = Kind.TIMESTAMP if is_instant(column.type) else kind
    declared: dict[str, object] = {} if kind is None else {"type": kind.value}
    declared |= {"bounds": list(bounds[column.name])} if column.name in bounds else {}
    declared |= {"values": list(values[column.name])} if column.name in values else {}
    return declared | ({"step": steps[column.name]} if column.name in steps else {})
