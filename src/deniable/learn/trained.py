"""What is known of a training besides the model: on which rows, at which price, with which noise."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from deniable.core.vectors.design import VectorDesign


@dataclass(frozen=True, slots=True)
class TrainedStep:
    """One sum that was paid for."""

    measured: str
    numbers: int
    sensitivity: int
    rho: float


@dataclass(frozen=True, slots=True)
class Trained:
    """All of it is public once the model is."""

    population: str
    unit: str
    """Who is protected: the column that names them, or each row."""
    sql: str
    target: str | None
    design: VectorDesign
    loss: Mapping[str, Any]
    """The price, in every form."""
    steps: tuple[TrainedStep, ...]
    free: bool
    """Whether the same model was asked for before, so that it cost nothing."""

    def to_dict(self) -> dict[str, Any]:
        """All of it in values that JSON can say."""
        return {
            "population": self.population,
            "unit": self.unit,
            "sql": self.sql,
            "target": self.target,
            "design": self.design.to_dict(),
            "loss": dict(self.loss),
            "steps": [
                {"measured": one.measured, "numbers": one.numbers, "sensitivity": one.sensitivity, "rho": one.rho}
                for one in self.steps
            ],
            "free": self.free,
        }

    @classmethod
    def from_dict(cls, said: Mapping[str, Any]) -> Trained:
        """What `to_dict` said."""
        steps = tuple(
            TrainedStep(str(one["measured"]), int(one["numbers"]), int(one["sensitivity"]), float(one["rho"]))
            for one in said["steps"]
        )
        return cls(
            str(said["population"]),
            str(said["unit"]),
            str(said["sql"]),
            None if said["target"] is None else str(said["target"]),
            VectorDesign.from_dict(said["design"]),
            dict(said["loss"]),
            steps,
            bool(said["free"]),
        )
