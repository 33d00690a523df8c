"""Commands that are not loaded yet say what they will say once they are."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import typer
from typer.main import get_command

from deniable.apps.cli import app
from deniable.apps.lazy import COMMANDS


def every(command: object, words: tuple[str, ...] = ()) -> Iterator[tuple[str, object]]:
    """Every command and group, with its name."""
    yield " ".join(words), command
    if hasattr(command, "list_commands"):
        context = typer.Context(command)
        for name in command.list_commands(context):
            yield from every(command.get_command(context, name), (*words, name))


@pytest.mark.parametrize("name", COMMANDS)
def test_what_help_says_of_a_command_is_what_the_command_says_itself(name: str) -> None:
    own = " ".join((COMMANDS[name].load(name).help or "").split())
    assert own.startswith(COMMANDS[name].says.rstrip("."))


def test_an_unknown_command_is_none() -> None:
    group = get_command(app)
    assert group.get_command(typer.Context(group), "nonsense") is None


@pytest.mark.parametrize(("name", "command"), list(every(get_command(app))), ids=lambda value: str(value)[:30])
def test_every_command_is_explained_and_offers_no_completion(name: str, command: object) -> None:
    assert command.help, name
    for parameter in command.params:
        assert "completion" not in (parameter.name or ""), f"{name}: {parameter.name}"
        explained = getattr(parameter, "help", None)
        assert explained, f"{name}: {parameter.name}"
        assert explained[0].isupper() or name.startswith("attack"), f"{name}: {explained}"
        assert explained.rstrip().endswith("."), f"{name}: {explained}"
