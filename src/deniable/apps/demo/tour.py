"""`deniable demo`: a tour in under a minute, on a made-up clinic."""

from __future__ import annotations

import shutil
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.rule import Rule
from rich.text import Text

import deniable
from deniable.core.errors import InvalidArgumentError, Refused

if TYPE_CHECKING:
    from deniable.curator import Curator

_BY_REGION = "SELECT region, COUNT(*) AS visits, AVG(cost) AS cost FROM visits GROUP BY region ORDER BY visits DESC"
_RESPACED = "select REGION, count( * ) as visits, avg(cost) as cost\n  from visits group by region order by visits desc"
_BY_REASON = "SELECT reason, COUNT(*) AS visits FROM visits GROUP BY reason ORDER BY visits DESC"
_SMOKERS = "SELECT COUNT(*) FILTER (WHERE smoker) AS smokers, COUNT(*) AS patients FROM patients"
_AVERAGE = "SELECT AVG(price) FROM visits"
_YOURS = "SELECT AVG(age) FROM visits WHERE emergency"
_MARK = ".deniable-demo"
_START = {
    "postgres": "must name a database; start one: docker run --rm -d -p 127.0.0.1:5432:5432 "
    "-e POSTGRES_HOST_AUTH_METHOD=trust postgres:16, and then: --url postgresql://postgres@127.0.0.1:5432/postgres",
    "spark": "must name a server that reads this machine's files; start one: sail spark server --port 15002, and then: "
    "--url sc://127.0.0.1:15002",
}


def command(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Where to put the clinic.")] = Path("clinic"),
    engine: Annotated[
        str, typer.Option(metavar="KIND", help="Which engine computes: duckdb, postgres or spark.")
    ] = "duckdb",
    url: Annotated[
        str | None,
        typer.Option(metavar="URL", help="A database for the clinic, whose tables there are replaced; or a server."),
    ] = None,
) -> None:
    """Take a tour: a made-up clinic, a few questions, and what they cost."""
    from deniable.apps.demo.clinic import make_clinic

    if engine not in ("duckdb", *_START):
        raise InvalidArgumentError("engine", f"must be duckdb, postgres or spark, not {engine!r}")
    if engine in _START and url is None:
        raise InvalidArgumentError("url", _START[engine])
    console = Console()
    _fresh(folder)
    policy = folder / "clinic.toml"
    with console.status("making a clinic of 120,000 patients ..."):
        visits = make_clinic(folder)
        if engine in _START:
            import_module(f"deniable.apps.demo.in_{engine}").move(folder, url)
    console.print(f"\n[bold]A made-up clinic[/bold]: {visits:,} visits, with their policy in {policy}", soft_wrap=True)
    with deniable.create(policy, reason="a demonstration: these people are made up") as curator:
        _first_question(curator, console, visits)
        _repeat(curator, console)
        _private_keys(curator, console)
        _smokers(curator, console)
        _refusal(curator, console)
        _step(console, "What is left, for all analysts together, for ever")
        console.print(curator.budget())
    _audit(console)
    _farewell(policy, console)


def _fresh(folder: Path) -> None:
    """An empty folder; an earlier demonstration's is replaced, anything else is left alone."""
    if (folder / _MARK).exists():
        shutil.rmtree(folder)
    elif folder.exists() and any(folder.iterdir()):
        raise InvalidArgumentError("folder", f"{folder} is not empty; name another")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / _MARK).touch()


def _first_question(curator: Curator, console: Console, visits: int) -> None:
    _step(console, "The price of a question, before anything is read or paid", _BY_REGION)
    console.print(curator.explain(_BY_REGION, epsilon="0.25"))
    _step(console, "The same question, paid")
    answer = curator.ask(_BY_REGION, epsilon="0.25")
    console.print(answer)
    console.print(f"[dim]{answer.meaning}[/dim]")
    counted, most = sum(answer.table["visits"].to_pylist()), curator.policy.tables["visits"].contribution
    console.print(
        f"The regions add up to {counted:,.0f}, and {visits:,} visits were made up. The noise is the lesser part of "
        f"that difference: people with more than {most} visits count as {most}, so the rest of theirs is left out."
    )


def _repeat(curator: Curator, console: Console) -> None:
    _step(console, "Asked again, spelled differently: the recorded answer, for nothing", _RESPACED)
    console.print(curator.ask(_RESPACED, epsilon="0.25"))


def _private_keys(curator: Curator, console: Console) -> None:
    _step(console, "Private group keys: common ones show, snake bites stay hidden", _BY_REASON)
    console.print(curator.ask(_BY_REASON, rho="0.02", delta="1e-7"))


def _smokers(curator: Curator, console: Console) -> None:
    _step(console, "By accuracy: the least that buys plus or minus 25, at 95%", _SMOKERS)
    console.print(curator.ask(_SMOKERS, accuracy=25))


def _refusal(curator: Curator, console: Console) -> None:
    _step(console, "What cannot be answered is refused, with a hint; it costs nothing")
    try:
        curator.ask(_AVERAGE, epsilon="0.1")
    except Refused as refusal:
        console.print(Text(refusal.show(_AVERAGE)))


def _audit(console: Console) -> None:
    from deniable.apps.audit import watched
    from deniable.mechanisms import Laplace

    _step(console, "Does the noise keep its promise? A million uses, audited")
    console.print(watched(Laplace(sensitivity=1, epsilon="0.5"), 1_000_000, "1e-6", console))


def _farewell(policy: Path, console: Console) -> None:
    _step(console, "Your turn")
    program = _program()
    for line in (
        f"{program} check {policy}",
        f"{program} explain {policy} '{_YOURS}' --epsilon 0.1",
        f"{program} ask {policy} '{_YOURS}' --epsilon 0.1",
        f"{program} synthesize {policy} --rho 0.03 --delta 1e-7 -o {policy.parent / 'synthetic'}",
        f"{program} budget {policy}",
        f"{program} ledger list {policy}",
    ):
        console.print(f"  {line}", highlight=False, soft_wrap=True)


def _program() -> str:
    """How this program is called from here."""
    started = Path(sys.argv[0])
    if shutil.which("deniable") or started.name != "deniable":
        return "deniable"
    return str(started.relative_to(Path.cwd())) if started.is_relative_to(Path.cwd()) else str(started)


def _step(console: Console, title: str, sql: str = "") -> None:
    console.print()
    console.print(Rule(f"[bold]{title}[/bold]", align="left"))
    if sql:
        console.print(f"[cyan]{sql}[/cyan]\n", highlight=False, soft_wrap=True)
