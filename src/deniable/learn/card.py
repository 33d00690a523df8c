"""What a model is and what it is not, to be read by people."""

from __future__ import annotations

import html
from dataclasses import dataclass
from itertools import groupby
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from deniable.core.sensitivity import Neighbours
from deniable.core.shown import at_most, printable
from deniable.core.vectors.design import GRID, BinnedFeature, CategoryFeature, Classes, Feature, NumberFeature
from deniable.core.vectors.residuals import FINE
from deniable.learn.quote import WORDS

if TYPE_CHECKING:
    from deniable.learn.learner import Learner
    from deniable.learn.trained import Trained

_NOT_PROMISED = (
    "That the model is right: noise, clipping and few rows can make it wrong; test it on rows you hold.",
    "That nothing can be learned about people from it: what is true of most people is true of them, too.",
    "That rows of one unit are told apart from another's if the policy names the wrong unit.",
)


@dataclass(frozen=True, slots=True, repr=False)
class Card:
    """Facts by heading, in the order in which they are read."""

    title: str
    parts: tuple[tuple[str, tuple[str, ...]], ...]

    @classmethod
    def of(cls, learner: Learner) -> Card:
        """Of a model that was trained."""
        learner._check_fitted()  # noqa: SLF001 - of its own room
        trained = learner.trained_
        parts = (
            ("Data", _data(trained)),
            ("Protected", _protected(trained)),
            ("Price", _price(trained)),
            ("Columns", tuple(_column(feature) for feature in trained.design.features)),
            ("Target", _target(trained)),
            ("Clipping", _clipping(trained)),
            ("Noise", _noise(trained)),
            ("Not promised", _NOT_PROMISED),
        )
        title = f"{type(learner).__name__}: {learner.does}"
        return cls(title, tuple((name, tuple(map(printable, said))) for name, said in parts if said))

    def __repr__(self) -> str:
        """As text."""
        return self.text()

    def text(self, width: int | None = None) -> str:
        """In lines that are no longer than that, if it is said; what does not fit goes on farther in."""
        lines = [self.title]
        for name, said in self.parts:
            lines += ["", name, *(f"  {one}" for one in said)]
        if width is not None:
            lines = [part for one in lines for part in wrap(one, width, subsequent_indent="    ") or [""]]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """As a page."""
        parts = "".join(
            f"<h3>{html.escape(name)}</h3><ul>{''.join(f'<li>{html.escape(one)}</li>' for one in said)}</ul>"
            for name, said in self.parts
        )
        return f"<section><h2>{html.escape(self.title)}</h2>{parts}</section>"

    def page(self) -> str:
        """A page of its own."""
        style = "body{font:16px/1.5 sans-serif;max-width:46em;margin:2em auto;padding:0 1em}"
        head = f"<meta charset='utf-8'><title>{html.escape(self.title)}</title><style>{style}</style>"
        return f"<!doctype html><html lang='en'><head>{head}</head><body>{self._repr_html_()}</body></html>"

    def to_dict(self) -> dict[str, Any]:
        """All of it in values that JSON can say."""
        return {"title": self.title, **{name: list(said) for name, said in self.parts}}


def _data(trained: Trained) -> tuple[str, ...]:
    sql = " ".join(line.strip() for line in trained.sql.strip().splitlines())
    return (f"population {trained.population}", f"rows of: {sql}")


def _protected(trained: Trained) -> tuple[str, ...]:
    design = trained.design
    relation = {"add-remove": "whether a unit is in the data", "replace": "what the data say about a unit"}
    unit = f"unit: {trained.unit}; hidden: {relation[design.neighbours.value]}"
    most = f"a unit counts as at most {design.contribution} row{'s' * (design.contribution != 1)}"
    return unit, most


def _price(trained: Trained) -> tuple[str, ...]:
    forms = ", ".join(f"{name} {at_most(value)}" for name, value in trained.loss.items() if value)
    free = (
        "it was asked for before, so it cost nothing more" if trained.free else "charged once, before any row was read"
    )
    return forms, free


def _column(feature: Feature) -> str:
    match feature:
        case NumberFeature():
            return f"{feature.name}: a number between {float(feature.low):g} and {float(feature.high):g}"
        case BinnedFeature():
            return f"{feature.name}: {feature.bins} bins between {float(feature.low):g} and {float(feature.high):g}"
        case CategoryFeature():
            return f"{feature.name}: one of {', '.join(map(str, feature.values))}"


def _target(trained: Trained) -> tuple[str, ...]:
    target = trained.design.target
    if target is None:
        return ()
    if isinstance(target, Classes):
        return (f"{target.name}: one of {', '.join(map(str, target.values))}; other rows were left out",)
    return (_column(target),)


def _clipping(trained: Trained) -> tuple[str, ...]:
    design = trained.design
    missing = "missing values counted as the middle of a column's range, or as no category"
    shrunk = f"rows longer than {design.radius / GRID:.3g} were shrunk to that; columns are scaled by their bounds"
    found = [shrunk if design.longest > design.square else "no row was shrunk", missing]
    gradients = [step for step in trained.steps if step.measured == "Residuals"]
    if gradients:
        times = design.contribution * (1 if design.neighbours is Neighbours.ADD_REMOVE else 2)
        norm = gradients[0].sensitivity / (times * GRID * FINE)
        found.append(f"what a row adds to a gradient was clipped to {norm:.3g}")
    return tuple(found)


def _noise(trained: Trained) -> tuple[str, ...]:
    found = []
    for name, group in groupby(trained.steps, key=lambda step: step.measured):
        steps = list(group)
        times = "" if len(steps) == 1 else f"{len(steps)} times "
        rho = sum(step.rho for step in steps)
        found.append(f"{times}{WORDS.get(name, name)} ({steps[0].numbers:,} numbers), rho {rho:.4g}, Gaussian")
    return tuple(found)
