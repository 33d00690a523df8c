"""`deniable synthesize`: made-up tables that look like the private ones, into a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

import deniable
from deniable.apps.options import Analyst, Confidence, EpsilonWithDelta, Policy, Rho
from deniable.apps.publish.steps import steps
from deniable.core.errors import InvalidArgumentError

_STEPS = 4
"""Of each table: columns, pairs, rows, certificate."""
_DUMMIES = 1000
"""Rows of a table that is made from the policy alone, unless told."""


def command(
    policy: Policy,
    tables: Annotated[
        str | None, typer.Option(metavar="NAMES", help="Tables, separated by commas; unless told, all private ones.")
    ] = None,
    columns: Annotated[
        str | None, typer.Option(metavar="NAMES", help="Columns of one table, separated by commas; unless told, all.")
    ] = None,
    rows: Annotated[int | None, typer.Option(min=1, metavar="NUMBER", help="Rows; unless told, about as many.")] = None,
    constraint: Annotated[
        list[str],
        typer.Option(
            metavar="CONDITION",
            help="What no row violates: 'NOT married OR age >= 16'; 'TABLE: ...' of one of several tables.",
        ),
    ] = [],  # noqa: B006 - Typer reads it
    rho: Rho = None,
    epsilon: EpsilonWithDelta = None,
    delta: Annotated[
        str | None,
        typer.Option(metavar="NUMBER", help="Delta that goes with epsilon, or that reveals values not in the policy."),
    ] = None,
    confidence: Confidence = "0.95",
    analyst: Analyst = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FOLDER", help="Write tables and report into this folder.")
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Only show the price and the noise. Reads no data, spends nothing.")
    ] = False,
    dummy: Annotated[
        bool, typer.Option("--dummy", help="Make rows from the policy alone. Reads no data, spends nothing.")
    ] = False,
) -> None:
    """Make synthetic tables, with a report of how good they are.

    Rows are made up from noisy counts, so they can be shared. Pay with --rho, or with --epsilon and --delta.
    """
    named = _split(tables)
    if not explain:
        _check(output)
    if dummy:
        _dummies(policy, named, _split(columns), rows or _DUMMIES, output or Path())
        return
    payment = {"epsilon": epsilon, "rho": rho, "delta": delta, "confidence": confidence}
    console = Console()
    with deniable.open(policy) as curator:
        private = [name for name, table in curator.policy.tables.items() if not table.public]
        said = _constraints(constraint, named or private)
        if explain:
            from deniable.releases import Synthesis

            console.print(curator.explain(Synthesis(named, _split(columns), rows, said), analyst=analyst, **payment))  # type: ignore[arg-type]
            return
        with steps(_STEPS * len(named or private) + 1) as step:
            release = curator.synthesize(
                named,
                columns=_split(columns),
                rows=rows,
                constraints=said,
                analyst=analyst,
                told=step,
                **payment,  # type: ignore[arg-type]
            )
            step("writing")
            written = release.save(output or Path())
    console.print(release)
    console.print(f"written: {', '.join(str(file) for file in written)}", soft_wrap=True)


def _split(names: str | None) -> list[str] | None:
    return None if names is None else [name.strip() for name in names.split(",") if name.strip()]


def _constraints(conditions: list[str], tables: list[str]) -> dict[str, list[str]]:
    """By table: a condition may begin with its table's name; if there is one table, it need not."""
    found: dict[str, list[str]] = {}
    for condition in conditions:
        name, colon, rest = condition.partition(":")
        if colon and name.strip() in tables:
            found.setdefault(name.strip(), []).append(rest.strip())
        elif len(tables) == 1:
            found.setdefault(tables[0], []).append(condition)
        else:
            hint = f"must begin with its table and a colon, as in '{tables[0]}: {condition}'"
            raise InvalidArgumentError("constraint", hint)
    return found


def _check(output: Path | None) -> None:
    """Before anything is paid."""
    if output is None:
        raise InvalidArgumentError("output", "is missing: name a folder with --output")
    if output.exists() and not output.is_dir():
        raise InvalidArgumentError("output", f"must be a folder, and {str(output)!r} is a file")
    if not output.absolute().parent.is_dir():
        raise InvalidArgumentError("output", f"must be in a folder that exists, not in {str(output.parent)!r}")


def _dummies(path: Path, tables: list[str] | None, columns: list[str] | None, rows: int, output: Path) -> None:
    """Rows that fit the policy, and say nothing about anybody: nothing but the policy is read."""
    from deniable.audit.made_up import made_up
    from deniable.files.tables import write_table
    from deniable.policy import load

    found = made_up(load(path), units=rows)
    for name in tables or found:
        if name not in found:
            raise InvalidArgumentError("tables", f"must be among {', '.join(found)}, not {name!r}")
    output.mkdir(exist_ok=True)
    for name in tables or found:
        kept = [column for column in found[name].column_names if columns is None or column in columns]
        write_table(found[name].select(kept), output / f"{name}.parquet")
        typer.echo(f"written: {output / f'{name}.parquet'}, {found[name].num_rows:,} rows made from the policy alone")
