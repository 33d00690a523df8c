"""What can go wrong before anything private is touched."""

from __future__ import annotations


class InvalidArgumentError(ValueError):
    """An argument that no theorem covers. The message names the argument; nothing was drawn or spent."""

    def __init__(self, argument: str, problem: str) -> None:
        super().__init__(f"{argument} {problem}")
        self.argument = argument
