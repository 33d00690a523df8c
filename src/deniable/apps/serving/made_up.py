"""The clinic that `deniable serve --demo` serves: made-up people, a policy, and tokens for a day."""

from __future__ import annotations

from pathlib import Path

import typer
from rich.console import Console

from deniable.apps.demo.clinic import POLICY, make_clinic
from deniable.curator import create
from deniable.policy import load
from deniable.service.tokens import Role, TokenFile

_SERVED = """
[analysts.alice]
epsilon = 2.0
per_question = 0.05              # what her questions cost unless they say

[analysts.bob]
epsilon = 1.0

[serve]
release_after = "2s"             # when answers leave, however long they took
"""


def made_up(folder: Path) -> tuple[Path, str]:
    """The clinic of the demonstration, with a ledger and four tokens; made once. Its policy, and the token of alice."""
    console, policy = Console(stderr=True), folder / "clinic.toml"
    if not policy.exists():
        console.print(f"making a clinic in {folder} ...", soft_wrap=True)
        make_clinic(folder)
        policy.write_text(f"{POLICY}{_SERVED}", encoding="utf-8")
        create(policy, reason="a demonstration with made-up people").close()
    loaded = load(policy)
    tokens = TokenFile.beside(loaded.place, loaded.population)
    known = {token.name for token in tokens.all() if token.state == "valid"}
    people = {
        "alice": Role.ANALYST,
        "bob": Role.ANALYST,
        "custodian": Role.CUSTODIAN,
        "reviewer": Role.REVIEWER,
    }
    for name in known & set(people):
        tokens.revoke(name)
    typer.echo("tokens of this run (each is the password for both doors):")
    secrets = {name: tokens.create(name, role, 1)[0] for name, role in people.items()}
    for name, role in people.items():
        typer.echo(f"  {name:<10} {role.value:<10} {secrets[name]}")
    typer.echo("")
    return policy, secrets["alice"]
