"""Commands that are loaded when they are called: help should not wait for the attacks, nor a question for help."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command, get_group

_START = "Set up"
_ASK = "Ask"
_SERVE = "Serve"
_PUBLISH = "Publish and collect"
_PLAN = "Plan and test"


@dataclass(frozen=True, slots=True)
class LazyCommand:
    """Where a command is, below this room, and what is said of it before it is loaded."""

    home: str
    panel: str
    says: str
    """The first sentence of its own help."""

    def load(self, name: str) -> Any:  # noqa: ANN401 - click's command, or Typer's own copy of it
        """The command itself."""
        module, _, attribute = self.home.partition(":")
        found = getattr(import_module(f"deniable.apps.{module}"), attribute)
        if isinstance(found, typer.Typer):
            command: Any = get_group(found)
        else:
            alone = typer.Typer(add_completion=False)
            alone.command(name)(found)
            command = get_command(alone)
        command.name = name
        return command


COMMANDS = {
    "demo": LazyCommand(
        "demo.tour:command", _START, "Take a tour: a made-up clinic, a few questions, and what they cost."
    ),
    "init": LazyCommand("custodian.policies:init", _START, "Draft a policy for a data file."),
    "check": LazyCommand(
        "custodian.policies:check", _START, "Check a policy against its files, and show what analysts can do."
    ),
    "engine": LazyCommand("custodian.engine:app", _START, "The database that holds the data."),
    "profile": LazyCommand(
        "custodian.profile:command",
        _START,
        "Learn privately what the tables look like, and which bounds and contributions suit them.",
    ),
    "explain": LazyCommand("questions:explain", _ASK, "Show what a question would cost and how accurate it would be."),
    "ask": LazyCommand("questions:ask", _ASK, "Ask a question and pay for the answer."),
    "workload": LazyCommand(
        "publish.workload:command", _ASK, "Answer many counts at once: histograms, ranges, cross-tables."
    ),
    "budget": LazyCommand("questions:budget", _ASK, "Show what has been spent and what is left."),
    "ledger": LazyCommand("custodian.ledger:app", _ASK, "The record of everything that was spent, and on what."),
    "serve": LazyCommand(
        "serving.serve:command",
        _SERVE,
        "Serve populations to analysts: in a browser, over HTTP, and with any PostgreSQL client.",
    ),
    "token": LazyCommand(
        "serving.token:app", _SERVE, "Who may reach a served curator: create, list and revoke tokens."
    ),
    "synthesize": LazyCommand(
        "publish.synthesize:command", _PUBLISH, "Make synthetic tables, with a report of how good they are."
    ),
    "train": LazyCommand("publish.train:command", _PUBLISH, "Train a model on private rows, for one charge."),
    "anonymize": LazyCommand(
        "publish.anonymize:app", _PUBLISH, "Publish a table in which everyone hides among others."
    ),
    "collect": LazyCommand("collect.commands:app", _PUBLISH, "Run a survey in which people add the noise themselves."),
    "plan": LazyCommand("plan.commands:app", _PLAN, "Calculators for planning a study."),
    "attack": LazyCommand(
        "attack.commands:app", _PLAN, "What leaks: attacks on made-up people, on files, and on a curator."
    ),
    "audit": LazyCommand(
        "audit:app", _PLAN, "Try to catch a mechanism, or a whole question, giving away more than it claims."
    ),
}
"""Every command, in the order of help."""


class LazyGroup(TyperGroup):
    """All commands, none of them loaded."""

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ANN401 - click's, or Typer's own copy of it
        """In the order of help."""
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ANN401 - same
        """A command by its name, loaded; None if there is none."""
        del ctx
        return COMMANDS[cmd_name].load(cmd_name) if cmd_name in COMMANDS else None

    def format_help(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401 - same
        """The help of a group of the same commands, of which only names and first sentences are known."""
        listed: dict[str, Any] = {
            name: TyperCommand(name, help=command.says, rich_help_panel=command.panel)
            for name, command in COMMANDS.items()
        }
        TyperGroup(name=self.name, commands=listed, params=self.params, help=self.help, epilog=self.epilog).format_help(
            ctx, formatter
        )
