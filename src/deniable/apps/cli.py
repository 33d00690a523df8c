"""The command line."""

from __future__ import annotations

import sys

import typer
from rich.console import Console

from deniable import __version__
from deniable.apps import questions
from deniable.apps.lazy import Rooms
from deniable.apps.ledger import app as ledger
from deniable.core.errors import Failed, InvalidArgumentError, Refused
from deniable.policy import InvalidPolicyError

app = typer.Typer(
    cls=Rooms,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="A curator for sensitive tables: private answers, exact noise, sound accounts.",
)
app.command("init")(questions.init)
app.command("check")(questions.check)
app.command("explain")(questions.explain)
app.command("ask")(questions.ask)
app.command("budget")(questions.budget)
app.add_typer(ledger, name="ledger")


def _version(wanted: bool) -> None:
    if wanted:
        Console().print(f"deniable {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version and stop."
    ),
) -> None:
    """Options that stand before any command."""
    del version


def main() -> None:
    """Run the command line; what cannot be right is a few lines, not a trace."""
    try:
        app()
    except Refused as refusal:
        _stop(refusal.show())
    except (InvalidArgumentError, InvalidPolicyError, Failed) as error:
        _stop(f"error: {error}")


def _stop(text: str) -> None:
    Console(stderr=True).print(text, highlight=False, markup=False, soft_wrap=True, style="red")
    sys.exit(2)
