"""`deniable init | check`: a policy is drafted, and held against its files."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from deniable.apps.exits import ExitCode
from deniable.apps.options import Policy
from deniable.core.errors import InvalidArgumentError
from deniable.core.shown import plain, printable
from deniable.files import atomic
from deniable.files.formats import bare
from deniable.files.source import DataFile, parts

if TYPE_CHECKING:
    from deniable.curator.custodian.check import Seen
    from deniable.curator.custodian.draft import Candidate

_PROFILE = "deniable profile --rho 0.002 --apply finds one"
_MOST = 20
"""Columns, and findings, that are listed one by one."""
_ALL = "; list everything by --all"
_EYES = "found in the rows, for the custodian's eyes only (these counts are private data):"


def init(
    file: Annotated[
        str,
        typer.Argument(metavar="FILE", help="A data file, a folder or a pattern of files, or 'file.duckdb::table'."),
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Where to write the draft; beside the data otherwise."),
    ] = None,
) -> None:
    """Draft a policy for a data file.

    The draft marks every value that was looked up in the data: replace it by something publicly known.
    """
    from deniable.curator.custodian.draft import draft

    source = DataFile.named(file, "file")
    target = output or _beside(Path(parts(file)[0]), source)
    if target.exists():
        raise InvalidArgumentError("output", f"{target} exists already; name another with --output")
    asking = sys.stdin.isatty() and sys.stdout.isatty()
    atomic.write(target, draft(file, _asked if asking else None), new=True)
    typed = quote(str(target))
    for words in (
        f"wrote {target}: replace what is marked, then run: deniable check {typed}",
        f"for bounds and contributions that are not guessed: deniable ledger create {typed}, "
        f"and then: deniable profile {typed} --rho 0.002 --suggest",
    ):
        Console().print(words, soft_wrap=True, markup=False)


def check(
    policy: Policy,
    strict: Annotated[bool, typer.Option("--strict", help="Fail on warnings, too.")] = False,
    everything: Annotated[bool, typer.Option("--all", help="List every column and every finding.")] = False,
) -> None:
    """Check a policy against its files, and show what analysts can do.

    Counts, for the custodian alone, the rows that are not as the policy says. Ends with exit code 1 if a column does
    not fit, or if the user of a database may do more than read the declared tables; with --strict, also if anything was
    counted, or is still marked as looked up in the data.
    """
    from deniable.curator.custodian.check import check as check_policy
    from deniable.curator.custodian.check import look, marks
    from deniable.curator.factory import engine_of
    from deniable.planner import ChargeLimits
    from deniable.policy import load

    loaded = load(policy)
    engine = engine_of(loaded)
    try:
        seen = check_policy(loaded, engine)
        found = look(loaded, engine)
        weak = engine.weaknesses()
        where = engine.where()
    finally:
        engine.close()
    console = Console()
    console.print(f"engine: {where}", soft_wrap=True, markup=False, highlight=False)
    for words in weak:
        console.print(f"warning: {words}", style="red", soft_wrap=True, markup=False, highlight=False)
    most = None if everything else _MOST
    for part in _columns(f"{loaded.population}: what analysts can do", seen, most):
        console.print(part, soft_wrap=isinstance(part, Text))
    guarantee = loaded.budget
    console.print(
        f"budget: epsilon {plain(guarantee.epsilon)}, delta {plain(guarantee.delta)}; {loaded.neighbours.value}"
    )
    daily = f"{'Each analyst' if loaded.analysts else 'Everybody together'} may ask {loaded.limits.questions_per_day:,}"
    console.print("limits:", *ChargeLimits.of(loaded).words, f"{daily} questions a day.")
    for table in loaded.tables.values():
        if table.unweighed:
            words = f"note: {table.name} names no contribution, so only a profile of it can be made: {_PROFILE}"
            console.print(printable(words), style="yellow", soft_wrap=True, markup=False, highlight=False)
    left = marks(Path(policy).read_text(encoding="utf-8-sig"))
    if left:
        lines = (
            f"line {left[0]} is"
            if len(left) == 1
            else f"lines {', '.join(map(str, left[:most]))}{_more(left, most)} are"
        )
        console.print(f"warning: {lines} still marked as looked up in the data", style="yellow", soft_wrap=True)
    if found:
        console.print(_EYES, style="bold", soft_wrap=True)
    for one in sorted(found, key=lambda one: not one.wrong)[:most]:
        place = f"{one.table}.{one.column}" if one.column else one.table
        words = printable(f"  {place}: {one.what}")
        console.print(words, style="red" if one.wrong else "yellow", soft_wrap=True, markup=False, highlight=False)
    if rest := _more(found, most):
        console.print(f" {rest}{_ALL}", soft_wrap=True)
    wrong = any(line.problem for line in seen) or any(one.wrong for one in found)
    if wrong or weak or (strict and (found or left)):
        raise typer.Exit(ExitCode.FAILED)


def _columns(title: str, seen: Sequence[Seen], most: int | None) -> Iterator[Table | Text]:
    """Every column, if they are few; else those with a problem, and of the others how many there are of each type."""
    if most is None or len(seen) <= most:
        yield _table(title, seen)
        return
    wrong = [line for line in seen if line.problem]
    kinds = Counter(line.kind for line in seen if not line.problem)
    if kinds:
        fine = ", ".join(f"{many:,} {kind}" for kind, many in kinds.most_common())
        yield Text(printable(f"{title}: {kinds.total():,} columns fit ({fine}){_ALL}"))
    if wrong:
        yield _table("what does not fit", wrong[:most])
        if rest := _more(wrong, most):
            yield Text(f" {rest}{_ALL}")


def _more(found: Sequence[object], most: int | None) -> str:
    """How many are not listed."""
    return "" if most is None or len(found) <= most else f" and {len(found) - most:,} more"


def _table(title: str, seen: Sequence[Seen]) -> Table:
    wrong = any(line.problem for line in seen)
    table = Table(title=Text(printable(title)), title_justify="left", header_style="bold")
    for name in ("table", "column", "type", "allows", *(["problem"] if wrong else [])):
        table.add_column(name, style="red" if name == "problem" else "", overflow="fold")
    for line in seen:
        words = (line.table, line.column, line.kind, line.allows, *([line.problem] if wrong else []))
        table.add_row(*(Text(printable(word)) for word in words))
    return table


def _beside(written: Path, source: DataFile) -> Path:
    """Where a draft goes: into the folder from which its source is named."""
    while source.wild and ("*" in str(written) or "?" in str(written)):
        written = written.parent
    if not written.name or written.name == "..":  # the folder in which somebody is, or the one above
        written = source.path
    return written / f"{source.title}.toml" if source.wild else written.with_name(f"{bare(written)}.toml")


def _asked(candidates: Sequence[Candidate]) -> str | None:
    """Whom to protect, by whoever sits at the terminal."""
    if not candidates:
        typer.echo("no column seems to name people: each row is protected by itself, unless you name a unit")
        return None
    typer.echo("Which column says whose rows these are? The counts are private data.")
    for candidate in candidates:
        typer.echo(printable(f"  {candidate}"))
    likely = next((one.name for one in candidates if one.likely), "-")
    named = {one.name for one in candidates} | {"-"}
    while (chosen := typer.prompt("unit (- for none: each row by itself)", default=likely)) not in named:
        typer.echo(f"there is no {chosen!r} among them")
    return None if chosen == "-" else chosen
