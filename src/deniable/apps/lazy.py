"""Commands that are loaded when they are called: a question should not wait for the attacks."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

_FIRST = "demo"
_HOMES = {
    _FIRST: "demo",
    "anonymize": "anonymize",
    "workload": "workload",
    "collect": "collect.commands",
    "attack": "attack.commands",
    "audit": "audit",
    "plan": "plan.commands",
}
"""Where each is, below this room: as `app`, if it has commands of its own, or as `command`."""


class Rooms(TyperGroup):
    """All commands, of which most are not loaded yet."""

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ANN401 - click's, or Typer's own copy of it
        """The tour, those that are loaded, then the others."""
        return [_FIRST, *super().list_commands(ctx), *(name for name in _HOMES if name != _FIRST)]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ANN401 - same
        """A command by its name, loaded if need be."""
        if cmd_name not in _HOMES:
            return super().get_command(ctx, cmd_name)
        module = import_module(f"deniable.apps.{_HOMES[cmd_name]}")
        app = getattr(module, "app", None)
        if app is None:
            app = typer.Typer()
            app.command(cmd_name)(module.command)
        command = get_command(app)
        command.name = cmd_name
        return command
