"""`deniable ledger`: create, list, verify, export."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

import deniable

app = typer.Typer(no_args_is_help=True, help="What was spent, and on what.")

Policy = Annotated[Path, typer.Argument(help="The policy, a TOML file.")]


@app.command("create")
def _create(policy: Policy) -> None:
    """Start an empty ledger for a policy, once."""
    with deniable.create(policy) as curator:
        Console().print(f"created the ledger of {curator.policy.population}")


@app.command("list")
def _list(policy: Policy) -> None:
    """Every entry, oldest first."""
    table = Table(header_style="bold")
    for name in ("#", "what", "analyst", "loss", "question"):
        table.add_column(name, overflow="fold" if name == "question" else "ellipsis")
    with deniable.open(policy) as curator:
        for entry in curator.history():
            loss = repr(entry.loss) if entry.kind == "charged" else ""
            table.add_row(str(entry.sequence), entry.kind, entry.analyst or "", loss, entry.text or "")
    Console().print(table)


@app.command("verify")
def _verify(policy: Policy) -> None:
    """Recompute every digest and every sum from the first entry on."""
    with deniable.open(policy) as curator:
        with Progress(transient=True) as bar:
            task = bar.add_task("checking entries")
            checked = curator.ledger.verify(lambda done, of: bar.update(task, completed=done, total=of))
        Console().print(f"{checked} entries fit together; head {curator.ledger.head.digest}", soft_wrap=True)


@app.command("export")
def _export(policy: Policy, output: Annotated[Path, typer.Argument(help="A file of JSON lines.")]) -> None:
    """Write all entries and the head, to keep elsewhere."""
    with deniable.open(policy) as curator:
        curator.ledger.export(output)
        Console().print(f"wrote {output}")
