"""Local recoding: the optimum, then every class as fine as its own rows allow.

Input:      the classes of the best full-domain node, and the suppressed rows at their coarsest levels, where those
            classes meet the models.
Guarantee:  every class meets every model, and NCP is never above the optimum's: a part is made finer only if it and
            what is left behind both meet the models.
Not promised: that equal values are called alike: 13053 can be 1305* in one row and 130** in another.
Error:      no optimum (that is NP-hard).
Cost:       breadth first: in each round every class goes one level down in its best column, all at once.
Reference:  Xu et al. 2006 (utility-based local recoding).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from deniable.releases.syntactic.models.diversity import FittedModel
from deniable.releases.syntactic.search.cells import CellCounts
from deniable.releases.syntactic.search.grouping import BoolArray, FloatArray, IntArray, joined
from deniable.releases.syntactic.search.losses import Node
from deniable.releases.syntactic.search.mondrian import failing
from deniable.releases.syntactic.search.recoding import Recoding, full_domain


def local(cells: CellCounts, node: Node, kept: BoolArray, models: Sequence[FittedModel]) -> Recoding:
    """The optimum, refined class by class."""
    parts = _Parts(cells, node, kept, models)
    while parts.refine():
        pass
    return parts.named()


class _Parts:
    """Classes with levels of their own."""

    def __init__(self, cells: CellCounts, node: Node, kept: BoolArray, models: Sequence[FittedModel]) -> None:
        start = full_domain(cells, node, kept)
        self._cells, self._models = cells, models
        self._finest = cells.classes()
        self._groups = [np.stack(column.groups) for column in cells.columns]
        self._spans = [
            [column.span(group, size) for group, size in zip(column.groups, column.sizes, strict=True)]
            for column in cells.columns
        ]
        self._flat_spans = [_stacked(levels) for levels in self._spans]
        top = [column.height - 1 for column in cells.columns]
        hidden = start.suppressed[start.of]
        tops = [np.where(hidden, group[-1][code], 0) for group, code in zip(self._groups, cells.codes, strict=True)]
        kept_class = np.where(hidden, start.number, start.of)
        radices = [start.number + 1, *(column.sizes[-1] for column in cells.columns)]
        self._of, (first, *_) = joined([kept_class, *tops], radices)
        self._levels = np.where((first == start.number)[:, None], top, node)
        self._suppressed = failing(self._finest.merged(self._of, (), len(first)), models)
        self._open = ~self._suppressed

    def refine(self) -> bool:
        """One round: every open class by the column that gains most; whether anything was gained."""
        best = np.zeros(len(self._levels))
        chosen = np.full(len(self._levels), -1)
        parts = []
        for place in range(len(self._groups)):
            gain, part = self._tried(place)
            parts.append(part)
            better = gain > best + 1e-9
            best[better], chosen[better] = gain[better], place
        self._open = chosen >= 0
        column_of_point = chosen[self._of]
        for place, part in enumerate(parts):
            self._move(place, np.where(column_of_point == place, part, -1))
        return bool(self._open.any())

    def _tried(self, place: int) -> tuple[FloatArray, IntArray]:
        """What each class gains by one level down in a column, and the part that each point would move to, or -1."""
        gain, part = np.zeros(len(self._levels)), np.full(len(self._of), -1)
        inside = (self._open & (self._levels[:, place] > 0))[self._of]
        of, level, code = self._of[inside], self._levels[self._of[inside], place], self._cells.codes[place][inside]
        if not len(of):
            return gain, part
        coarse, fine = self._groups[place][level, code], self._groups[place][level - 1, code]
        to, (owner, _) = joined([of, fine], [len(self._levels), self._cells.columns[place].sizes[0]])
        classes = self._finest.some(inside).merged(to, (), len(owner))
        moves = ~failing(classes, self._models)
        moves &= ~self._stranded(inside, of, moves[to])[owner]
        spans = self._flat_spans[place]
        saved = spans[level, coarse] - spans[level - 1, fine]
        rows = self._finest.sizes[inside]
        gain += np.bincount(of, np.where(moves[to], rows * saved, 0), len(gain))
        part[inside] = np.where(moves[to], to, -1)
        return gain, part

    def _stranded(self, inside: BoolArray, of: IntArray, moving: BoolArray) -> BoolArray:
        """For each class, whether what is left behind fails a model."""
        stranded = np.zeros(len(self._levels), bool)
        if moving.all():
            return stranded
        behind = inside.copy()
        behind[inside] = ~moving
        left, number = np.unique(of[~moving], return_inverse=True)
        stranded[left] = failing(self._finest.some(behind).merged(number, (), len(left)), self._models)
        return stranded

    def _move(self, place: int, part: IntArray) -> None:
        """New classes for the parts that move, one level lower in the column."""
        moving = part >= 0
        if not moving.any():
            return
        fresh, number = np.unique(part[moving], return_inverse=True)
        owners = np.empty(len(fresh), np.int64)
        owners[number] = self._of[moving]
        levels = self._levels[owners].copy()
        levels[:, place] -= 1
        self._of[moving] = len(self._levels) + number
        self._levels = np.vstack([self._levels, levels])
        self._open = np.r_[self._open, np.ones(len(fresh), bool)]
        self._suppressed = np.r_[self._suppressed, np.zeros(len(fresh), bool)]

    def named(self) -> Recoding:
        """Classes that are called alike are one class: the union of classes that meet a model meets it."""
        codes, labels, spans, covers = [], [], [], []
        for place, column in enumerate(self._cells.columns):
            names = [name for level in column.labels for name in level]
            offsets = np.cumsum([0, *column.sizes[:-1]])
            distinct = tuple(dict.fromkeys(names))
            places = {name: at for at, name in enumerate(distinct)}
            number = np.array([places[name] for name in names])
            level = self._levels[self._of, place]
            codes.append(number[offsets[level] + self._groups[place][level, self._cells.codes[place]]])
            labels.append(distinct)
            rows = self._cells.rows_of(place)
            most = [np.bincount(group, rows, size) for group, size in zip(column.groups, column.sizes, strict=True)]
            spans.append(_largest(number, np.concatenate(self._spans[place])))
            covers.append(_largest(number, np.concatenate(most)).astype(np.int64))
        lost = self._suppressed[self._of].astype(np.int64)
        of, (suppressed, *distinct_codes) = joined([lost, *codes], [2, *map(len, labels)])
        return Recoding(of, tuple(distinct_codes), tuple(labels), tuple(spans), tuple(covers), suppressed.astype(bool))


def _largest(number: IntArray, amounts: FloatArray) -> FloatArray:
    """The largest amount of each number: a name that stands at two levels means the wider one."""
    largest = np.zeros(int(number.max()) + 1)
    np.maximum.at(largest, number, amounts)
    return largest


def _stacked(levels: Sequence[FloatArray]) -> FloatArray:
    """Levels of different sizes side by side."""
    table = np.zeros((len(levels), max(map(len, levels))))
    for place, level in enumerate(levels):
        table[place, : len(level)] = level
    return table
