"""`deniable engine role`: what the database that holds the data has to be told."""

from __future__ import annotations

import typer

from deniable.apps.options import Policy
from deniable.core.errors import InvalidArgumentError

app = typer.Typer(no_args_is_help=True, add_completion=False, help="The database that holds the data.")


@app.callback()
def _engine() -> None:
    """The database that holds the data."""


@app.command("role")
def role(policy: Policy) -> None:
    """Print the SQL that makes the user as whom the curator asks.

    It may read the tables that the policy names, and nothing else. `deniable check` verifies that it is so.
    """
    from deniable.curator.factory import role_of
    from deniable.policy import load

    script = role_of(load(policy))
    if not script:
        raise InvalidArgumentError("policy", "names an engine that reads files: it needs no user")
    typer.echo(script, nl=False)
