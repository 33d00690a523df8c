"""The command line."""

from __future__ import annotations

import sys

import typer
from rich.console import Console

from deniable import __version__
from deniable.apps.plan.commands import app as plan
from deniable.core.errors import InvalidArgumentError

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="A curator for sensitive tables: private answers, exact noise, sound accounts.",
)
app.add_typer(plan, name="plan")


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
    """Run the command line; an argument that cannot be right is one line, not a trace."""
    try:
        app()
    except InvalidArgumentError as error:
        Console(stderr=True).print(f"[bold red]error:[/bold red] {error}", highlight=False)
        sys.exit(2)
