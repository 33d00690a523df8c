"""Mondrian: boxes around people, halved as long as every half meets the models.

Input:      points in the order of their hierarchies (numbers on a line, names along their tree), with their rows.
Guarantee:  every class meets every model: a box is halved only if both halves do, and the first box is the whole table.
Not promised: anything but the models. Neighbouring boxes can differ by one value, which full-domain levels never do.
Error:      no optimum (that is NP-hard); NCP is far below any full-domain release, since every box is cut where it
            helps.
Cost:       breadth first: all boxes are halved at once, in about log2(rows / k) rounds of a few passes over the points.
Reference:  LeFevre, DeWitt, Ramakrishnan 2006.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from deniable.releases.syntactic.cells import Cells
from deniable.releases.syntactic.classes import Classes
from deniable.releases.syntactic.column import Column
from deniable.releases.syntactic.grouping import BoolArray, FloatArray, IntArray, joined
from deniable.releases.syntactic.kinds import Label
from deniable.releases.syntactic.models import Bound
from deniable.releases.syntactic.recoding import Recoding
from deniable.releases.syntactic.values import STAR, text_of


def mondrian(cells: Cells, models: Sequence[Bound], k: int) -> Recoding | None:
    """The boxes, or None if even the whole table does not meet the models."""
    everything = cells.classes().merged(np.zeros(cells.points, np.int64), (), 1)
    if failing(everything, models)[0]:
        return None
    boxes = _Boxes(cells, models, k)
    while boxes.waiting:
        boxes.halve()
    return _named(cells, boxes.of)


@dataclass(slots=True)
class _Cut:
    """Where each box would be halved."""

    right: BoolArray
    """Whether a point lies beyond the cut of its box."""
    found: BoolArray
    """Whether a box has a cut at all that leaves k rows on both sides."""


class _Boxes:
    """Boxes that may yet be halved: their points side by side, and the columns that were tried in vain."""

    def __init__(self, cells: Cells, models: Sequence[Bound], k: int) -> None:
        self.of = np.zeros(cells.points, np.int64)
        self._models, self._k, self._columns = models, k, cells.columns
        self._finest = cells.classes()
        self._codes = np.stack(cells.codes)
        self._points = np.arange(cells.points)
        self._starts = np.zeros(1, np.int64)
        self._tried = np.zeros((1, len(cells.columns)), bool)
        self._names = np.zeros(1, np.int64)
        self._next = 1

    @property
    def waiting(self) -> bool:
        """Whether there is a box to halve."""
        return len(self._starts) > 0

    def halve(self) -> None:
        """One round: each box by the column it is widest in, among those not tried; done, if none is left."""
        widths = self._widths()
        widths[self._tried] = 0
        column = np.argmax(widths, axis=1)
        self._keep_only(widths[np.arange(len(column)), column] > 0, column)
        if not self.waiting:
            return
        column = self._chosen
        lengths = np.diff(np.r_[self._starts, len(self._points)])
        box = np.repeat(np.arange(len(lengths)), lengths)
        values = self._codes[column[box], self._points]
        order = np.argsort(box * (self._codes.max() + 1) + values)
        self._points, values = self._points[order], values[order]
        cut = self._cut(box, values)
        accepted = cut.found & self._both_halves_meet(box, cut)
        self._tried[np.flatnonzero(~accepted), column[~accepted]] = True
        self._split(box, cut.right & accepted[box], accepted)

    def _widths(self) -> FloatArray:
        """How much of each column each box covers."""
        widths = np.empty((len(self._starts), len(self._columns)))
        for place, column in enumerate(self._columns):
            codes = self._codes[place, self._points]
            low, high = np.minimum.reduceat(codes, self._starts), np.maximum.reduceat(codes, self._starts)
            widths[:, place] = np.where(high > low, np.maximum(column.stretch(low, high), 1e-12), 0)
        return widths

    def _keep_only(self, kept: BoolArray, column: IntArray) -> None:
        """Boxes that cannot be halved any more are done."""
        lengths = np.diff(np.r_[self._starts, len(self._points)])
        self._points = self._points[np.repeat(kept, lengths)]
        self._starts = np.cumsum(lengths[kept]) - lengths[kept]
        self._tried, self._names, self._chosen = self._tried[kept], self._names[kept], column[kept]

    def _cut(self, box: IntArray, values: IntArray) -> _Cut:
        """Between two values, as near to the median as k rows on both sides allow."""
        rows = self._finest.sizes[self._points]
        running = np.cumsum(rows)
        before = (running - rows)[self._starts]
        total = np.add.reduceat(rows, self._starts)
        left = running - before[box]
        between = np.r_[(box[1:] == box[:-1]) & (values[1:] != values[:-1]), False]
        allowed = between & (left >= self._k) & (total[box] - left >= self._k)
        distance = np.where(allowed, np.abs(2 * left - total[box]), np.iinfo(np.int64).max)
        nearest = np.minimum.reduceat(distance, self._starts)
        at = np.full(len(self._starts), len(box))
        hits = np.flatnonzero(distance == nearest[box])[::-1]
        at[box[hits]] = hits  # the first of them is written last
        return _Cut(np.arange(len(box)) > at[box], nearest < np.iinfo(np.int64).max)

    def _both_halves_meet(self, box: IntArray, cut: _Cut) -> BoolArray:
        """Judge all halves at once."""
        halves = 2 * len(self._starts)
        to = np.full(len(self.of), -1)
        to[self._points] = 2 * box + cut.right
        inside = to >= 0
        there, number = np.unique(to[inside], return_inverse=True)  # a box without a cut has one half only
        fails = np.zeros(halves, bool)
        fails[there] = failing(self._finest.some(inside).merged(number, (), len(there)), self._models)
        return ~(fails[::2] | fails[1::2])

    def _split(self, box: IntArray, right: BoolArray, accepted: BoolArray) -> None:
        """Left halves keep their box's name; right ones get new names. Points stay side by side."""
        fresh = np.cumsum(accepted) - 1 + self._next
        self.of[self._points[right]] = fresh[box[right]]
        self._next += int(accepted.sum())
        key = 2 * box + right
        self._starts = np.flatnonzero(np.r_[True, key[1:] != key[:-1]])
        parent, is_right = box[self._starts], right[self._starts]
        self._tried = self._tried[parent] & ~accepted[parent][:, None]
        self._names = np.where(is_right, fresh[parent], self._names[parent])


def failing(classes: Classes, models: Sequence[Bound]) -> BoolArray:
    """The classes that any model fails."""
    fails = np.zeros(classes.number, bool)
    for model in models:
        fails |= model.judge(classes).fails
    return fails


def _named(cells: Cells, of: IntArray) -> Recoding:
    """Labels for the runs of values that each box spans."""
    number = int(of.max()) + 1
    order = np.argsort(of, kind="stable")
    starts = np.searchsorted(of[order], np.arange(number))
    codes, labels, spans, covers = [], [], [], []
    for place, (column, code) in enumerate(zip(cells.columns, cells.codes, strict=True)):
        low, high = np.minimum.reduceat(code[order], starts), np.maximum.reduceat(code[order], starts)
        label, (lows, highs) = joined([low, high], [len(column.values)] * 2)
        codes.append(label)
        labels.append(tuple(_run_name(column, a, b) for a, b in zip(lows.tolist(), highs.tolist(), strict=True)))
        spans.append(column.stretch(lows, highs))
        running = np.r_[0, np.cumsum(cells.rows_of(place))]
        covers.append(running[highs + 1] - running[lows])
    return Recoding(of, tuple(codes), tuple(labels), tuple(spans), tuple(covers), np.zeros(number, bool))


def _run_name(column: Column, low: int, high: int) -> Label:
    """One value as itself, all as '*', numbers as [a, b], names as {a, b, c}."""
    values = column.values
    if low == high:
        return None if values[low] is None else text_of(values[low])
    if high - low + 1 == len(values):
        return STAR
    if column.places is not None and values[high] is not None:
        return f"[{text_of(values[low])}, {text_of(values[high])}]"
    return "{" + ", ".join("NULL" if value is None else text_of(value) for value in values[low : high + 1]) + "}"
