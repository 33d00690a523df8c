"""Membership inference against a published model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from deniable.attacks.defences.defence import BoolArray, FloatArray
from deniable.attacks.defences.families import trainers
from deniable.attacks.defences.trainers.trainer import Trainer, losses
from deniable.attacks.on_models.candidates import AttackOnMembership
from deniable.attacks.outcome import Outcome, advantage_allowed
from deniable.attacks.picture import Mark, two_histograms
from deniable.core.number import Number, whole


def threshold_between(inside: FloatArray, outside: FloatArray) -> float:
    """The loss below which to guess 'in', from losses of people of whom it is known: where the fewest are wrong.

    Example:
        >>> threshold_between(np.array([0.1, 0.2, 0.9]), np.array([0.8, 1.0, 1.2]))
        0.5
    """
    together = np.sort(np.concatenate([inside, outside]))
    places = np.concatenate([[together[0] - 1], (together[1:] + together[:-1]) / 2, [together[-1] + 1]])
    wrong = (inside[:, None] >= places).mean(axis=0) + (outside[:, None] < places).mean(axis=0)
    return float(places[wrong.argmin()])


@dataclass(frozen=True, slots=True)
class Model(AttackOnMembership[Trainer]):
    """Tells from a person's loss under a published model whether the model was trained on them.

    Target:      the weights of a logistic regression with more features than people.
    Finds:       for each candidate, in or out; half of the candidates are in.
    Confidence:  the advantage is what the losses of members and strangers differ by: overfitting. The threshold comes
                 from a model of the attacker's own, trained in the same way on other people.
    Cost:        one training, one evaluation of each candidate.
    Reference:   Yeom, Giacomelli, Fredrikson, Jha 2018; Shokri, Stronati, Song, Shmatikov 2017 (own models).

    Example:
        >>> Model().against_named("exact", 1, np.random.default_rng(1)).value > 0.9
        True
    """

    name: ClassVar[str] = "model"
    title: ClassVar[str] = "The model remembers its people"
    lesson: ClassVar[str] = (
        "A model is a release. Whatever it fits better than strangers it remembers, and whoever has the weights can "
        "ask it."
    )
    victim: ClassVar[str] = "exact"
    saviour: ClassVar[str] = "noisy-gradients"

    candidates: int = 200
    features: int = 1000

    def __post_init__(self) -> None:
        """Somebody in, somebody out, and something known of them."""
        AttackOnMembership.__post_init__(self)
        whole("features", self.features)

    @staticmethod
    def defences(epsilon: Number) -> Mapping[str, Trainer]:
        """All ways to train."""
        return trainers(epsilon)

    def against(self, defence: Trainer, chance: np.random.Generator) -> Outcome:
        """Every candidate is in by a fair coin; the attacker's own model decides the threshold."""
        truth = chance.normal(0, 1, self.features) / np.sqrt(self.features)
        loss, inside = self._world(defence, truth, chance)
        own, known = self._world(defence, truth, chance)
        threshold = threshold_between(own[known], own[~known])
        return self.told_apart(
            defence,
            measure="advantage in telling whom a model was trained on",
            guesses=loss < threshold,
            inside=inside,
            bound=advantage_allowed(defence.promise, str(defence.delta)),
            source="their loss",
            picture=two_histograms(
                f"Loss of candidates under a model {defence.says}",
                "loss; the last bar holds all that are larger",
                {"in the data": loss[inside], "not in the data": loss[~inside]},
                (0, 3),
                Mark(threshold, "guess: in", upright=True),
            ),
        )

    def _world(self, defence: Trainer, truth: FloatArray, chance: np.random.Generator) -> tuple[FloatArray, BoolArray]:
        """New people, a model of some of them, everybody's loss under it, and who was in."""
        features = chance.choice([-1.0, 1.0], (self.candidates, self.features))
        labels = np.where(features @ truth + chance.normal(0, 0.5, self.candidates) > 0, 1.0, -1.0)
        inside = self.drawn(chance)
        return losses(defence.train(features[inside], labels[inside]), features, labels), inside
