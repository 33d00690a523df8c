"""`deniable ledger`: create, list, verify, export, adopt, raise, move, anchor."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from rich.text import Text

import deniable
from deniable.apps.options import Policy
from deniable.core.errors import InvalidArgumentError
from deniable.core.shown import printable

if TYPE_CHECKING:
    from deniable.ledger import Entry

app = typer.Typer(no_args_is_help=True, help="The record of everything that was spent, and on what.")

Since = Annotated[
    str | None, typer.Option(metavar="TIME", help="Only questions from this day or time on (UTC): 2026-01-31T09:30.")
]
Whose = Annotated[str | None, typer.Option(metavar="NAME", help="Only questions of this analyst.")]


@app.command("create")
def _create(
    policy: Policy,
    reason: Annotated[str, typer.Option(metavar="TEXT", help="Why data that has an account gets another one.")] = "",
) -> None:
    """Start an empty ledger for a policy. Needed once, before the first question."""
    with deniable.create(policy, reason=reason) as curator:
        Console().print(f"created the ledger of {printable(curator.policy.population)}", markup=False)


@app.command("list")
def _list(policy: Policy, analyst: Whose = None, since: Since = None) -> None:
    """List every charge, oldest first: when, who, how much and what for; then the totals of each analyst."""
    start = None if since is None else _time(since)
    with deniable.open(policy) as curator:
        entries = curator.history()
    answered = {entry.charge for entry in entries}
    charges = [
        entry
        for entry in entries
        if entry.kind in {"charged", "shown"}
        and (analyst is None or entry.analyst == analyst)
        and (start is None or datetime.fromisoformat(entry.written) >= start)
    ]
    console = Console()
    console.print(_listed(charges, answered) if charges else "nothing was charged")
    if charges:
        console.print(_totals(charges))


@app.command("verify")
def _verify(policy: Policy) -> None:
    """Check that no entry was changed, removed or added out of turn, from the first one on."""
    with deniable.open(policy) as curator:
        with Progress(transient=True) as bar:
            task = bar.add_task("checking entries")
            checked = curator.ledger.verify(lambda done, of: bar.update(task, completed=done, total=of))
        entries = "entry fits" if checked == 1 else "entries fit"
        Console().print(f"{checked:,} {entries} together; head {curator.ledger.head.digest}", soft_wrap=True)


@app.command("export")
def _export(
    policy: Policy,
    output: Annotated[Path, typer.Argument(metavar="FILE", help="Where to write: a file of JSON lines.")],
) -> None:
    """Write all entries and the head to a file, to keep elsewhere and compare later."""
    with deniable.open(policy) as curator:
        curator.ledger.export(output)
        Console().print(f"wrote {output}", soft_wrap=True, markup=False)


def _listed(charges: Sequence[Entry], answered: set[int]) -> Table:
    """One row for each charge. The loss is never cut; times and questions fold."""
    named = any(entry.analyst for entry in charges)
    table = Table(title="charges", title_justify="left", header_style="bold")
    table.add_column("#", justify="right", no_wrap=True)
    table.add_column("charged (UTC)", overflow="fold")
    if named:
        table.add_column("analyst", overflow="fold")
    table.add_column("loss", no_wrap=True)
    table.add_column("question", overflow="fold", ratio=1)
    for entry in charges:
        question = Text(printable(" ".join(entry.text.split())))
        if entry.kind == "shown":
            question.append(" (shown from the record: only the analyst's share paid)", style="dim")
        elif entry.sequence not in answered:
            question.append(" (charged, but never answered)", style="yellow")
        who = [Text(printable(entry.analyst))] if named else []
        table.add_row(str(entry.sequence), _minute(entry.written), *who, str(entry.loss), question)
    return table


def _totals(charges: Sequence[Entry]) -> Table:
    """What the listed charges add up to, for each analyst."""
    counts = Counter(entry.analyst for entry in charges)
    table = Table(title="totals of these charges", title_justify="left", header_style="bold")
    for name in ("analyst", "questions", "loss"):
        table.add_column(name, justify="right" if name == "questions" else "left", no_wrap=name == "loss")
    for analyst, count in sorted(counts.items()):
        first, *others = (entry.loss for entry in charges if entry.analyst == analyst)
        table.add_row(Text(printable(analyst) or "(nobody named)"), f"{count:,}", str(sum(others, first)))
    return table


def _minute(written: str) -> str:
    return f"{datetime.fromisoformat(written).astimezone(UTC):%Y-%m-%d %H:%M}"


def _time(since: str) -> datetime:
    """A day or a time; without a zone it is UTC, as the ledger's."""
    try:
        found = datetime.fromisoformat(since)
    except ValueError:
        raise InvalidArgumentError(
            "since", f"must be a day or a time like 2026-01-31 or 2026-01-31T09:30, not {since!r}"
        ) from None
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)


Reason = Annotated[str, typer.Option(metavar="TEXT", help="Why; it is kept in the ledger.")]


@app.command("adopt")
def _adopt(
    policy: Policy,
    reason: Reason,
    confirm: Annotated[
        bool,
        typer.Option("--confirm", help="The table really is public, or the other source has the same people."),
    ] = False,
) -> None:
    """Accept what has changed in the policy.

    The account remembers whom and what its sums protect, and refuses a policy that says otherwise until you say why.
    """
    from deniable.curator import adopt

    _accepted(adopt(policy, reason, confirmed=confirm))


@app.command("raise")
def _raise(policy: Policy, reason: Reason) -> None:
    """Accept a larger budget.

    Everybody in the data was promised the smaller one, so every budget shows the raise from then on.
    """
    from deniable.curator import adopt

    _accepted(adopt(policy, reason, raising=True))


def _accepted(changes: list[str]) -> None:
    console = Console()
    for words in changes:
        console.print(f"changed: {printable(words)}", soft_wrap=True, markup=False)
    console.print("the ledger keeps it" if changes else "nothing has changed")


@app.command("move")
def _move(
    policy: Policy,
    to: Annotated[
        str, typer.Argument(metavar="URL", help="The new place: postgresql://curator@db.example.org/accounts.")
    ],
) -> None:
    """Move the account to a PostgreSQL server, for curators on several machines.

    Every entry is copied and checked. The old ledger is closed, so that the budget cannot be spent twice. If it is
    interrupted, say the same again.
    """
    from deniable.curator import move

    with Progress(transient=True) as bar:
        task = bar.add_task("moving entries")
        head = move(policy, to, lambda done, of: bar.update(task, completed=done, total=of))
    console = Console()
    console.print(f"{head.sequence} entries moved and checked; head {head.digest}", soft_wrap=True)
    console.print(f'now write in {policy}: [ledger] url = "{to}"', soft_wrap=True, markup=False)


@app.command("anchor")
def _anchor(
    policy: Policy,
    head: Annotated[str, typer.Argument(metavar="DIGEST", help="As `deniable ledger verify` prints it elsewhere.")],
) -> None:
    """Let this machine use an account on a server, or make a lost .head file again.

    The ledger must go through a head that you have from another machine or from your notes: so an older copy of it is
    not taken for the newest.
    """
    from deniable.curator import anchor

    anchor(policy, head)
    Console().print("this machine remembers how long the ledger is")
