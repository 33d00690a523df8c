"""Groups of options that several commands share, each written once, as a dataclass."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Any, get_type_hints


def spread(command: Callable[..., None]) -> Callable[..., None]:
    """A command for Typer, in which every parameter that is a dataclass of options stands for all of them."""
    hints = get_type_hints(command, include_extras=True)
    groups = {name: hints[name] for name in signature(command).parameters if is_dataclass(hints[name])}
    parameters = [
        shown
        for name, parameter in signature(command).parameters.items()
        for shown in (_options(groups[name]) if name in groups else [parameter.replace(annotation=hints[name])])
    ]

    @wraps(command)
    def called(**given: Any) -> None:  # noqa: ANN401 - what Typer read
        parts = {
            name: group(**{each.name: given.pop(each.name) for each in fields(group)}) for name, group in groups.items()
        }
        command(**given, **parts)

    called.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    called.__annotations__ = {shown.name: shown.annotation for shown in parameters}
    return called


def _options(group: Any) -> list[Parameter]:  # noqa: ANN401 - a dataclass
    hints = get_type_hints(group, include_extras=True)
    return [
        Parameter(
            each.name,
            Parameter.KEYWORD_ONLY,
            default=Parameter.empty if each.default is MISSING else each.default,
            annotation=hints[each.name],
        )
        for each in fields(group)
    ]
