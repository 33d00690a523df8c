"""What happened, in a form that can be stored and reread by a better accountant."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class Event:
    """A mechanism by name, with its settings: everything its loss follows from, and never a bare epsilon.

    Example:
        >>> Event("Laplace", {"sensitivity": Fraction(1), "epsilon": Fraction(1, 2)}).to_json()
        {'mechanism': 'Laplace', 'settings': {'sensitivity': '1', 'epsilon': '1/2'}}
    """

    mechanism: str
    settings: Mapping[str, Fraction]

    def to_json(self) -> dict[str, object]:
        """Plain values; fractions as text, so that none is rounded."""
        return {"mechanism": self.mechanism, "settings": {name: str(value) for name, value in self.settings.items()}}
