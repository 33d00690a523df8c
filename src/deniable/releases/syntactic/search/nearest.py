"""When nothing fits: the settings nearest to those asked for that do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial
from math import ceil

from deniable.core.errors import Refused
from deniable.releases.syntactic.models.closeness import Equal, Hierarchical, Ordered
from deniable.releases.syntactic.models.demands import Demands
from deniable.releases.syntactic.models.diversity import Distinct, Entropy, PrivacyModel, Recursive
from deniable.releases.syntactic.search.lattice import Lattice
from deniable.releases.syntactic.search.losses import Suppressed
from deniable.releases.syntactic.search.optimum import optimum

_STEPS = 1000
"""t and suppression are named to a thousandth, rounded to the side that suffices."""


class Infeasible(Refused):
    """No release meets the models within the suppression limit. Nothing is published and nothing is weakened.

    Unlike other refusals this one is about the data: it is for the custodian alone. Each of `settings` suffices by
    itself, with everything else as asked; they are the nearest that do.
    """

    def __init__(self, demands: Demands, settings: dict[str, str]) -> None:
        limit = f"{float(demands.suppression):.3g} of the rows"
        super().__init__(
            "infeasible",
            f"No release has {' and '.join(demands.words())} with at most {limit} suppressed.",
            "; or ".join(settings.values()) or "take another hierarchy, or fewer quasi-identifiers",
        )
        self.settings = settings


def infeasible(lattice: Lattice, demands: Demands, *, suppresses: bool = True) -> Infeasible:
    """The refusal, with the nearest settings that suffice; `suppresses` says whether the method ever does."""
    settings = {}
    rows = lattice.cells.total
    if not suppresses:
        demands = replace(demands, suppression=Fraction(0))
    if suppresses:
        least = optimum(lattice, demands.bound(lattice.cells), Suppressed(lattice.cells), rows)
        if least is not None and least.suppressed < rows:
            share = Fraction(ceil(Fraction(least.suppressed * _STEPS, rows)), _STEPS)
            settings["suppression"] = f"suppression={float(share):g} suffices ({least.suppressed} of {rows} rows)"

    def fits(changed: Demands) -> bool:
        models = changed.bound(lattice.cells)
        return optimum(lattice, models, Suppressed(lattice.cells), changed.limit(rows), first=True) is not None

    k = _largest(demands.k - 1, lambda k: fits(replace(demands, k=k)))
    if k > 1:
        settings["k"] = f"k={k} is feasible"
    for place, (name, model) in enumerate(demands.models):
        found = _relaxed(model, partial(_fits_with, fits, demands, place))
        if found is not None:
            settings[f"{name}: {type(model).__name__}"] = f"{found} of {name} is feasible"
    return Infeasible(demands, settings)


def _fits_with(fits: Callable[[Demands], bool], demands: Demands, place: int, model: PrivacyModel) -> bool:
    """Whether the demands fit with another model in one place."""
    models = list(demands.models)
    models[place] = (models[place][0], model)
    return fits(replace(demands, models=tuple(models)))


def _relaxed(model: PrivacyModel, fits: Callable[[PrivacyModel], bool]) -> PrivacyModel | None:
    """The strictest model of its kind that fits, if any below the one asked for does."""
    if isinstance(model, Distinct | Entropy):
        l = _largest(model.l - 1, lambda l: fits(type(model)(l)))
        return type(model)(l) if l > 1 else None
    if isinstance(model, Recursive):
        l = _largest(model.l - 1, lambda l: fits(Recursive(l, model.c)))
        return Recursive(l, model.c) if l > 1 else None

    def loosened(steps: int) -> PrivacyModel:
        t = 1 - Fraction(steps, _STEPS)
        if isinstance(model, Hierarchical):
            return Hierarchical(t, model.hierarchy)
        return Ordered(t, model.order) if isinstance(model, Ordered) else Equal(t)

    most = ceil((1 - model.t) * _STEPS) - 1 if isinstance(model, Equal | Ordered | Hierarchical) else 0
    steps = _largest(most, lambda steps: fits(loosened(steps)))
    return loosened(steps) if steps > 0 else None


def _largest(most: int, fits: Callable[[int], bool]) -> int:
    """The largest number from 1 to `most` that fits, or 0: if one fits, all smaller ones do."""
    low, high = 0, most + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low
