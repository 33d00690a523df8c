"""Mondrian: boxes around people, halved as long as every half meets the models.

Input:      points in the order of their hierarchies (numbers on a line, names along their tree), with their rows.
Guarantee:  every class meets every model: a box is halved only if both halves do, and the first box is the whole table.
Not promised: anything but the models. Neighbouring boxes can differ by one value, which full-domain levels never do.
Error:      no optimum (that is NP-hard); NCP is far below any full-domain release, since every box is cut where it
            helps.
Cost:       breadth first: all boxes are halved at once, in a few dozen rounds of a few passes over the open points.
Reference:  LeFevre, DeWitt, Ramakrishnan 2006.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from deniable.releases.syntactic.hierarchies.column import QuasiIdentifier
from deniable.releases.syntactic.hierarchies.kinds import Label
from deniable.releases.syntactic.hierarchies.values import STAR, text_of
from deniable.releases.syntactic.models.diversity import FittedModel
from deniable.releases.syntactic.search.cells import CellCounts
from deniable.releases.syntactic.search.classes import EquivalenceClasses
from deniable.releases.syntactic.search.grouping import BoolArray, FloatArray, IntArray, added, joined, numbered
from deniable.releases.syntactic.search.recoding import Recoding


def mondrian(cells: CellCounts, models: Sequence[FittedModel], k: int) -> Recoding | None:
    """The boxes, or None if even the whole table does not meet the models."""
    everything = cells.classes().merged(np.zeros(cells.points, np.int64), (), 1)
    if failing(everything, models)[0]:
        return None
    boxes = _Boxes(cells, models, k)
    while boxes.waiting:
        boxes.halve()
    return _named(cells, boxes.of)


class _Boxes:
    """Boxes that may yet be halved: their points side by side, and the columns that were tried in vain."""

    def __init__(self, cells: CellCounts, models: Sequence[FittedModel], k: int) -> None:
        self.of = np.zeros(cells.points, np.int64)
        self._models, self._k, self._columns = models, k, cells.columns
        self._finest = cells.classes()
        self._codes = np.stack(cells.codes)
        self._points = np.arange(cells.points)
        self._box = np.zeros(cells.points, np.int64)
        self._tried = np.zeros((1, len(cells.columns)), bool)
        self._boxes = 1
        self._round = 0

    @property
    def waiting(self) -> bool:
        """Whether there is a box to halve."""
        return len(self._points) > 0

    def halve(self) -> None:
        """One round: each box where that says most, by a column not tried; boxes without one are done."""
        self._round += 1
        found = [self._cuts(place) for place in range(len(self._columns))]
        gains = np.where(self._tried, 0.0, np.stack([gain for gain, _ in found], axis=1))
        column = np.argmax(gains, axis=1)
        every = np.arange(len(column))
        cut = np.stack([code for _, code in found], axis=1)[every, column]
        open_ = gains[every, column] > 0
        self._keep_only(open_)
        if not self.waiting:
            return
        column, cut = column[open_], cut[open_]
        right = self._codes[column[self._box], self._points] > cut[self._box]
        accepted = self._both_halves_meet(right)
        self._tried[np.flatnonzero(~accepted), column[~accepted]] = True
        self._split(right & accepted[self._box], accepted)

    def _cuts(self, place: int) -> tuple[FloatArray, IntArray]:
        """For each box what its best cut of a column is worth, and the last value before it.

        Values and rows are sorted as one number: box, value, rows. Rows of a point beyond 2^20 count as that many.
        """
        column, box = self._columns[place], self._box
        many = len(column.values)
        shift = max(1, min(_ROWS, 62 - (int(box[-1] + 1) * many).bit_length()))
        rows = np.minimum(self._finest.sizes[self._points], (1 << shift) - 1)
        packed = np.sort(((box * many + self._codes[place, self._points]) << shift) | rows)
        rows, value = packed & ((1 << shift) - 1), (packed >> shift) - box * many
        starts = np.flatnonzero(np.r_[True, box[1:] != box[:-1]])
        running = np.cumsum(rows)
        before = (running - rows)[starts]
        at = np.flatnonzero((value[1:] != value[:-1]) & (box[1:] == box[:-1]))
        owner = box[at]
        left, total = running[at] - before[owner], np.add.reduceat(rows, starts)[owner]
        enough = (left >= self._k) & (total - left >= self._k)
        at, owner, left, total = at[enough], owner[enough], left[enough], total[enough]
        low, high = value[starts][owner], value[np.r_[starts[1:], len(box)] - 1][owner]
        return self._best(owner, value[at], self._worth(column, (low, value[at], value[at + 1], high), left, total))

    def _worth(
        self,
        column: QuasiIdentifier,
        ends: tuple[IntArray, IntArray, IntArray, IntArray],
        left: IntArray,
        total: IntArray,
    ) -> FloatArray:
        """How much narrower a cut makes the rows of its box, added up; after many rounds, how even it is.

        Cuts at the widest gaps give the least NCP, but can go on peeling off a few rows; even ones end soon.
        """
        low, cut, after, high = ends
        if self._round > _GREEDY:
            even: FloatArray = np.minimum(left, total - left) / total
            return even
        narrower = left * column.stretch(low, cut) + (total - left) * column.stretch(after, high)
        return np.maximum(total * column.stretch(low, high) - narrower, _LITTLE)

    def _best(self, owner: IntArray, cut: IntArray, worth: FloatArray) -> tuple[FloatArray, IntArray]:
        """The best of the cuts of each box, which stand side by side; the first, if several are."""
        gains, cuts = np.zeros(len(self._tried)), np.zeros(len(self._tried), np.int64)
        if len(owner):
            firsts = np.flatnonzero(np.r_[True, owner[1:] != owner[:-1]])
            gains[owner[firsts]] = np.maximum.reduceat(worth, firsts)
            hits = np.flatnonzero(worth == gains[owner])[::-1]
            cuts[owner[hits]] = cut[hits]  # the first of them is written last
        return gains, cuts

    def _keep_only(self, open_: BoolArray) -> None:
        """Boxes that cannot be halved any more are done."""
        inside = open_[self._box]
        self._points, self._box = self._points[inside], (np.cumsum(open_) - 1)[self._box[inside]]
        self._tried = self._tried[open_]

    def _both_halves_meet(self, right: BoolArray) -> BoolArray:
        """Judge all halves at once."""
        to = np.full(len(self.of), -1)
        to[self._points] = 2 * self._box + right
        inside = to >= 0
        halves = 2 * len(self._tried)
        fails = failing(self._finest.some(inside).merged(to[inside], (), halves), self._models)
        return ~(fails[::2] | fails[1::2])

    def _split(self, right: BoolArray, accepted: BoolArray) -> None:
        """Left halves keep the number of their box; right ones get new numbers. Points stay side by side."""
        fresh = np.cumsum(accepted) - 1 + self._boxes
        self.of[self._points[right]] = fresh[self._box[right]]
        self._boxes += int(accepted.sum())
        key = 2 * self._box + right
        order = np.argsort(key, kind="stable")
        self._points, key = self._points[order], key[order]
        new = np.r_[True, key[1:] != key[:-1]]
        parent = key[new] // 2
        self._box = np.cumsum(new) - 1
        self._tried = self._tried[parent] & ~accepted[parent][:, None]
        points = np.bincount(self._box)
        self._keep_only((points > 1) & (np.bincount(self._box, self._finest.sizes[self._points]) >= 2 * self._k))


_ROWS = 20
_GREEDY = 50
_LITTLE = 1e-12
"""What a cut says at least, also between values that lie in one place."""


def failing(classes: EquivalenceClasses, models: Sequence[FittedModel]) -> BoolArray:
    """The classes that any model fails."""
    fails = np.zeros(classes.number, bool)
    for model in models:
        fails |= model.judge(classes).fails
    return fails


def _named(cells: CellCounts, of: IntArray) -> Recoding:
    """Labels for the boxes: ranges of numbers, sets of names."""
    number = int(of.max()) + 1
    named = [
        (_sets if column.places is None else _ranges)(column, cells.codes[place], of, cells.rows_of(place))
        for place, column in enumerate(cells.columns)
    ]
    codes, labels, spans, covers = zip(*named, strict=True)
    return Recoding(of, codes, labels, spans, covers, np.zeros(number, bool))


_Labels = tuple[IntArray, tuple[Label, ...], FloatArray, IntArray]
"""The label of each box, the labels, how much of the column they span, and how many rows have a value they cover."""


def _ranges(column: QuasiIdentifier, code: IntArray, of: IntArray, rows: IntArray) -> _Labels:
    """From the first to the last value that a box has."""
    order = np.argsort(of, kind="stable")
    starts = np.searchsorted(of[order], np.arange(int(of.max()) + 1))
    low, high = np.minimum.reduceat(code[order], starts), np.maximum.reduceat(code[order], starts)
    label, (lows, highs) = joined([low, high], [len(column.values)] * 2)
    running = np.r_[0, np.cumsum(rows)]
    names = tuple(_range_name(column, *ends) for ends in zip(lows.tolist(), highs.tolist(), strict=True))
    return label, names, column.stretch(lows, highs), running[highs + 1] - running[lows]


def _sets(column: QuasiIdentifier, code: IntArray, of: IntArray, rows: IntArray) -> _Labels:
    """The values that a box has, and no others. Equal sets are found by their bits, 62 to a word."""
    many = len(column.values)
    keys, _ = numbered(of * many + code, (int(of.max()) + 1) * many)
    box, value = np.divmod(keys, many)
    masks = []
    for first in range(0, many, _BITS):
        bits = np.where((value >= first) & (value < first + _BITS), 1 << (value - first) % _BITS, 0)
        masks.append(
            np.unique(np.add.reduceat(bits, np.searchsorted(box, np.arange(box[-1] + 1))), return_inverse=True)[1]
        )
    label, _ = joined(masks, [int(mask.max()) + 1 for mask in masks])
    some = np.zeros(int(label.max()) + 1, np.int64)
    some[label] = np.arange(len(label))  # a box of each label
    inside = some[label[box]] == box
    owner, member = label[box[inside]], value[inside]
    sizes = np.bincount(owner)
    members = np.split(member[np.argsort(owner, kind="stable")], np.cumsum(sizes)[:-1])
    names = tuple(_set_name(column, places.tolist()) for places in members)
    return label, names, (sizes - 1) / max(1, many - 1), added(owner, rows[member], len(sizes))


_BITS = 62


def _range_name(column: QuasiIdentifier, low: int, high: int) -> Label:
    """One value as itself, all as '*', numbers as [a, b]; NULL among others as a set."""
    if low == high or high - low + 1 == len(column.values) or column.values[high] is None:
        return _set_name(column, range(low, high + 1))
    return f"[{text_of(column.values[low])}, {text_of(column.values[high])}]"


def _set_name(column: QuasiIdentifier, places: Sequence[int]) -> Label:
    """One value as itself, all as '*', several as {a, b, c}."""
    names = [None if column.values[place] is None else text_of(column.values[place]) for place in places]
    if len(names) == 1:
        return names[0]
    if len(names) == len(column.values):
        return STAR
    return "{" + ", ".join("NULL" if name is None else name for name in names) + "}"
