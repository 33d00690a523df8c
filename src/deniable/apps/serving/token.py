"""`deniable token`: who may reach a served curator."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from deniable.apps.options import Policy
from deniable.core.errors import InvalidArgumentError
from deniable.service.tokens import Role, TokenFile

app = typer.Typer(no_args_is_help=True, help="Who may reach a served curator: create, list and revoke tokens.")


@app.command("create")
def _create(
    policy: Policy,
    name: Annotated[str, typer.Argument(metavar="NAME", help="Whom the token is for: an analyst's name.")],
    role: Annotated[Role, typer.Option(help="What the token allows.")] = Role.ANALYST,
    days: Annotated[
        float | None, typer.Option(metavar="NUMBER", help="After how many days it ends; without, when it is revoked.")
    ] = None,
) -> None:
    """Create a token, and show it once. It is the password for every door."""
    from deniable.policy import load

    loaded = load(policy)
    if role is Role.ANALYST and loaded.analysts and name not in loaded.analysts:
        known = ", ".join(loaded.analysts)
        raise InvalidArgumentError("name", f"{name!r} has no share in the policy; its analysts are: {known}")
    secret, token = TokenFile.beside(loaded.place, loaded.population).create(name, role, days)
    typer.echo(secret)
    until = "until it is revoked" if token.expires is None else f"until {token.expires}"
    note = f"token {token.id} of {name}, {role.value} of {loaded.population}, {until}; it is not shown again"
    Console(stderr=True).print(note, soft_wrap=True, markup=False)


@app.command("list")
def _list(policy: Policy) -> None:
    """List all tokens: whose, for what, until when. The tokens themselves are not kept."""
    table = Table(title="tokens", title_justify="left", header_style="bold")
    for column in ("id", "name", "role", "created", "ends", "state"):
        table.add_column(column, overflow="fold")
    for token in _file(policy).all():
        ends = token.revoked or token.expires or "\u2014"
        table.add_row(token.id, token.name, token.role.value, token.created, ends, token.state)
    Console().print(table if table.row_count else "there are no tokens")


@app.command("revoke")
def _revoke(
    policy: Policy,
    token: Annotated[str, typer.Argument(metavar="TOKEN", help="The id of a token, or a name: all of its tokens.")],
) -> None:
    """End a token now. A server that is running notices at the next request."""
    for ended in _file(policy).revoke(token):
        Console().print(f"revoked {ended.id} of {ended.name}", soft_wrap=True, markup=False)


def _file(policy: Path) -> TokenFile:
    from deniable.policy import load

    loaded = load(policy)
    return TokenFile.beside(loaded.place, loaded.population)
