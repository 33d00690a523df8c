"""Marginals, measured as they are, with the spend divided between them; then made to agree."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain, combinations
from math import prod
from typing import ClassVar

import numpy as np

from deniable.core.extras import needed
from deniable.releases.linear.design import LinearDesign
from deniable.releases.linear.matrices.components import Centred, Component, ComponentReader, share_of
from deniable.releases.linear.matrices.factors import Factor, FloatArray, Shape
from deniable.releases.linear.measurement import Block, Noise, shares
from deniable.releases.linear.strategies.strategy import MOST_CELLS, Strategy
from deniable.releases.linear.task import Task

_MOST_SETS = 5_000
_WORTHWHILE = 1e-3
"""A marginal that gets a smaller part of the spend than this, beside the largest, is not measured."""
_ROUNDS = 200
_Axes = tuple[int, ...]


class MarginalCounts(Strategy):
    """Measures some marginals of the workload and their subsets, and finds every other one from them.

    Input:      cross-tabulations of any number of attributes; the whole domain may be astronomically large.
    Guarantee:  that of Laplace or Gaussian noise: a row is in one cell of each marginal, so each costs its own share.
    Error:      exact. With Laplace noise it is less than that of the residual basis, whose l1 norms are larger.
    Cost:       linear in the size of the marginals, and a descent over the shares.
    Reference:  McKenna, Miklau, Hay, Machanavajjhala 2018 (weighted marginals, section 6.3); Li, Miklau 2013.
    """

    name: ClassVar[str] = "marginals"

    def refusal(self, task: Task) -> str | None:
        """Values only, and each marginal must be small enough to be listed."""
        plain = (Shape.VALUES, Shape.TOTAL)
        if not task.is_product or any(one.shape not in plain for piece in task.products for one in piece.factors):
            return "there are other queries than values and cross-tabulations of them"
        shape = task.domain.shape
        widest = max(prod(shape[axis] for axis in axes) for axes in task.coordinates)
        if widest > MOST_CELLS:
            return f"a marginal would have {widest:,} cells, and {MOST_CELLS:,} are the most"
        return f"there would be more than {_MOST_SETS:,} marginals" if len(_subsets(task)) > _MOST_SETS else None

    def design(self, task: Task, noise: Noise) -> LinearDesign:
        """A block for each marginal that is worth its share."""
        shape, spaces = task.domain.shape, _subsets(task)
        parts = _divided(spaces, _sizes(task, spaces), shape, noise)
        wanted = [axes for axes, part in zip(spaces, parts, strict=True) if part > 0]
        power = 3 if noise.pure else 2  # what `shares` takes the root of
        exact = shares(parts[parts > 0] ** power, pure=noise.pure)
        blocks = [
            Block(axes, tuple(Factor(Shape.VALUES, shape[axis], shape[axis]) for axis in axes)) for axes in wanted
        ]
        measured = tuple(noise.measured(block, part) for block, part in zip(blocks, exact, strict=True))
        seen = {one.block.axes: one.deviation for one in measured}
        reader = MarginalReader(shape, _components(spaces, seen, shape), tuple(seen.items()))
        return LinearDesign(self.name, task, measured, reader)


@dataclass(frozen=True, eq=False)
class MarginalReader(ComponentReader):
    """Each space is seen by every measured marginal that contains it; the sights are weighed by their precision."""

    seen: tuple[tuple[_Axes, float], ...]
    """The measured marginals, and the deviation of a cell of each."""

    def solve(self, noisy: list[FloatArray]) -> dict[_Axes, FloatArray]:  # type: ignore[override]
        """The best linear estimate of each space."""
        marginals = dict(zip([axes for axes, _ in self.seen], noisy, strict=True))
        solution = {}
        for component in self.components:
            space = component.axes
            sights = [(axes, _precision(axes, space, self.shape) / noise**2) for axes, noise in self.seen]
            total = sum(weight for _, weight in sights)
            held = np.zeros(tuple(self.shape[axis] for axis in space))
            for axes, weight in sights:
                if weight:
                    others = tuple(place for place, axis in enumerate(axes) if axis not in space)
                    held = held + weight / total * marginals[axes].sum(axis=others)
            for axis in range(len(space)):
                held = held - held.mean(axis=axis, keepdims=True)
            solution[space] = held
        return solution


def _precision(axes: _Axes, space: _Axes, shape: tuple[int, ...]) -> float:
    """How sharply a marginal sees a space inside it: a sum over its other attributes has that many times the noise."""
    if not set(axes).issuperset(space):
        return 0.0
    return 1 / prod(shape[axis] for axis in axes if axis not in space)


def _components(spaces: list[_Axes], seen: dict[_Axes, float], shape: tuple[int, ...]) -> tuple[Component, ...]:
    """The variance of each space, in the form that the residual basis has it."""
    found = []
    for space in spaces:
        precision = sum(_precision(axes, space, shape) / noise**2 for axes, noise in seen.items())
        maps = tuple(Centred(shape[axis]) for axis in space)
        found.append(Component(space, maps, prod(shape[axis] for axis in space) / precision**0.5))
    return tuple(found)


def _subsets(task: Task) -> list[_Axes]:
    """Every subset of what a query tells apart; attributes with one value add nothing."""
    spaces: dict[_Axes, None] = {}
    for axes in task.coordinates:
        wide = [axis for axis in axes if task.domain.shape[axis] > 1]
        spaces.update(dict.fromkeys(chain.from_iterable(combinations(wide, order) for order in range(len(wide) + 1))))
    return list(spaces)


def _sizes(task: Task, spaces: list[_Axes]) -> FloatArray:
    """What noise of variance 1 on each space adds to the squared errors, by weight."""
    shape = task.domain.shape
    places = {space: place for place, space in enumerate(spaces)}
    sizes = np.zeros(len(spaces))
    for piece in task.products:
        wide = [axis for axis in piece.axes if shape[axis] > 1]
        for space in chain.from_iterable(combinations(wide, order) for order in range(len(wide) + 1)):
            squares = prod(shape[axis] for axis in space) ** 2
            maps = tuple(Centred(shape[axis]) for axis in space)
            sizes[places[space]] += piece.weight**2 * squares * share_of(piece, space, maps)
    return sizes


def _divided(spaces: list[_Axes], sizes: FloatArray, shape: tuple[int, ...], noise: Noise) -> FloatArray:
    """The shares of the spend: by descent, from an even start on the marginals that are asked for."""
    places = {space: place for place, space in enumerate(spaces)}
    rows, columns, entries = [], [], []
    for axes in spaces:
        for space in chain.from_iterable(combinations(axes, order) for order in range(len(axes) + 1)):
            rows.append(places[space])
            columns.append(places[axes])
            entries.append(_precision(axes, space, shape))
    csr_array = needed("strategy", "scipy.sparse", "scipy").csr_array
    sees = csr_array((entries, (rows, columns)), shape=(len(spaces), len(spaces)))
    power = 2.0 if noise.pure else 1.0

    def error(logs: FloatArray) -> tuple[float, FloatArray]:
        raw = np.exp(logs - logs.max())
        parts = raw / raw.sum()
        precision = sees @ parts**power
        slopes = -(sees.T @ (sizes / precision**2)) * power * parts**power  # times parts: by logarithm
        value = float((sizes / precision).sum())
        return float(np.log(value)), (slopes - parts * slopes.sum()) / value

    start = np.full(len(spaces), -3.0)
    start[[place for space, place in places.items() if not any(set(space) < set(other) for other in spaces)]] = 0.0
    minimize = needed("strategy", "scipy.optimize", "scipy").minimize
    found = minimize(error, start, jac=True, method="L-BFGS-B", options={"maxiter": _ROUNDS, "ftol": 1e-10})
    raw = np.exp(found.x - found.x.max())
    kept = np.where((raw >= _WORTHWHILE) | (start == 0), raw, 0)
    return np.asarray(kept / kept.sum())
