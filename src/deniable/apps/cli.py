"""The command line."""

from __future__ import annotations

import sys

import typer

from deniable import __version__
from deniable.apps.exits import ending
from deniable.apps.lazy import LazyGroup

app = typer.Typer(
    cls=LazyGroup,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="A curator for sensitive tables: private answers with error bars, paid from a budget nobody can overspend.",
    epilog="Exit codes: 0 answered, 1 failed, 2 usage, 3 refused, 4 over budget. New here? Try: deniable demo",
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"deniable {__version__}")
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
    """Run the command line; what cannot be right is a few lines and an exit code, not a trace."""
    try:
        app()
    except Exception as error:
        known = ending(error)
        if known is None:
            raise
        code, text = known
        typer.secho(text, err=True, fg="red")
        sys.exit(code)
