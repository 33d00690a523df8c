"""What is wrong with a policy: all of it at once, each with the key, the reason and what to write instead."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from difflib import get_close_matches


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing to mend."""

    key: str
    """Where: `tables.visits.columns.age.bounds`, or a line and column, or nothing if it is the whole file."""
    what: str
    instead: str

    def __str__(self) -> str:
        """The place and the reason on one line, the cure below it."""
        return f"{self.key}: {self.what}\n    {self.instead}" if self.key else f"{self.what}\n    {self.instead}"


class InvalidPolicyError(ValueError):
    """A policy that promises nothing until it is mended. Nothing was opened, read or spent.

    Example:
        >>> raise InvalidPolicyError("clinic.toml", [Problem("budget.epsilon", "is missing", "write epsilon = 1.0")])
        Traceback (most recent call last):
        deniable.policy.problems.InvalidPolicyError: clinic.toml: 1 problem
          budget.epsilon: is missing
            write epsilon = 1.0
    """

    def __init__(self, origin: str, problems: Sequence[Problem]) -> None:
        self.origin = origin
        self.problems = tuple(problems)
        many = "1 problem" if len(self.problems) == 1 else f"{len(self.problems)} problems"
        super().__init__("\n  ".join([f"{origin}: {many}", *map(str, self.problems)]))


def closest(word: str, known: Collection[str]) -> str:
    """'did you mean ...? ' with the nearest of the known words, or nothing if none is near.

    Example:
        >>> closest("Contributions", ["unit", "contribution"])
        "did you mean 'contribution'? "
    """
    by_sound = {name.casefold(): name for name in known}
    near = get_close_matches(word.casefold(), by_sound, n=1)
    return f"did you mean '{by_sound[near[0]]}'? " if near else ""
