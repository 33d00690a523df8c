"""What an audit found."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from rich.table import Table


@dataclass(frozen=True, slots=True, repr=False)
class Audit:
    """A proven lower bound on epsilon beside the claimed one."""

    lower_bound: float
    """No epsilon below this is true at `delta`, except with probability `alpha`."""
    epsilon: Fraction
    """As claimed."""
    delta: Fraction
    alpha: Fraction
    event: str
    """The set of outcomes that tells the two inputs apart, in words."""
    likelier: str
    """On which input it is likelier: the first or the second."""
    frequencies: tuple[float, float]
    """How often it was seen on the first input, and on the second."""
    trials: int
    """Outcomes of each input that the bound rests on; as many again chose the event."""

    @property
    def passed(self) -> bool:
        """Whether the claim survived. It is not thereby proven: another event or pair of inputs may refute it."""
        return self.lower_bound <= self.epsilon

    def __repr__(self) -> str:
        """One line."""
        sign = "<=" if self.passed else ">"
        return (
            f"Audit({'passed' if self.passed else 'FAILED'}: proven {self.lower_bound:.3f} {sign} claimed "
            f"{float(self.epsilon):.6g} at delta {float(self.delta):.3g}; {self.event}: "
            f"{self.frequencies[0]:.4f} against {self.frequencies[1]:.4f})"
        )

    def __rich__(self) -> Table:
        """A small table."""
        colour = "green" if self.passed else "red"
        table = Table(title=f"audit [{colour}]{'passed' if self.passed else 'FAILED'}[/]", show_header=False)
        for name, value in (
            ("claimed epsilon", f"{float(self.epsilon):.6g}"),
            ("at delta", f"{float(self.delta):.3g}"),
            ("proven epsilon", f"[{colour}]at least {self.lower_bound:.4f}[/]"),
            ("doubt", f"{float(self.alpha):.3g}"),
            ("event", self.event),
            ("on the first input", f"{self.frequencies[0]:.6f} of {self.trials}"),
            ("on the second input", f"{self.frequencies[1]:.6f} of {self.trials}"),
        ):
            table.add_row(name, value)
        return table
