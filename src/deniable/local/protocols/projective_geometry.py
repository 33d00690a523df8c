"""Projective-geometry response: the least variance known, with messages of log2(k) bits and a fast collector."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from deniable.core.bits import BitSource
from deniable.core.sampling import BoolArray, IntArray, uniform
from deniable.local.domain import AnswerDomain
from deniable.local.families.histogram import FloatArray
from deniable.local.families.listed import ListedProtocol
from deniable.local.geometry import Space, best_space


@dataclass(frozen=True, slots=True, init=False)
class ProjectiveGeometry(ListedProtocol):
    """Sends a point of a projective space over a prime field, most likely one on the value's own hyperplane.

    Input:         one of k public values; value v stands for the v-th point, whose hyperplane are the points orthogonal
                   to it.
    Guarantee:     every report is at most e^epsilon times likelier under one value than under another; the probability
                   is rounded down to a multiple of 2^-64.
    Error:         a share's variance is within a few percent of 4 e^epsilon / ((e^epsilon - 1)^2 n), the limit of all
                   known protocols, as long as a prime near e^epsilon + 1 is small enough. Intervals are exact.
    Message size:  log2 of the number of points: between log2(k) and log2(k) + log2(e^epsilon + 1) bits.
    Cost:          log(k) / epsilon random digits per respondent; a Fourier transform over the space for the collector.
    Reference:     Feldman, Nelson, Nguyen, Talwar 2022.
    Proof:         docs/proofs/local.md

    Example:
        >>> survey = ProjectiveGeometry(1000, epsilon=1)
        >>> estimate = survey.estimate(survey.perturb(np.full(2000, 7)))
        >>> survey.space, survey.messages, int(np.argmax(estimate.value))
        (Space(base=3, dimension=7), 1093, 7)
    """

    domain: AnswerDomain
    epsilon: Fraction

    @property
    def space(self) -> Space:
        """The smallest over the best prime that has enough points."""
        return best_space(self.epsilon, self.domain.size, _points, 0)

    @property
    def messages(self) -> int:
        """The points."""
        return _points(self.space.base, self.space.dimension)

    @property
    def preferred(self) -> int:
        """The points of a hyperplane, which is a space of one dimension less."""
        return _points(self.space.base, self.space.dimension - 1)

    @property
    def overlap(self) -> int:
        """Two hyperplanes meet in a space of two dimensions less."""
        return _points(self.space.base, self.space.dimension - 2)

    def _draw(self, places: IntArray, honest: BoolArray, bits: BitSource) -> IntArray:
        """A uniform vector u with u . v = 0, or 1; a hyperplane's points have base - 1 vectors each, the others one."""
        space = self.space
        normals = space.digits(_code(space, places))
        drawn = self._vectors(normals, honest, bits)
        while (zeros := np.flatnonzero(~drawn.any(axis=1))).size:  # the zero vector is no point
            drawn[zeros] = self._vectors(normals[zeros], honest[zeros], bits)
        return _point(space, drawn)

    def _vectors(self, normals: IntArray, honest: BoolArray, bits: BitSource) -> IntArray:
        """Uniform digits; then the one where v has its leading 1 is moved so that u . v is as wanted."""
        space = self.space
        vectors = uniform(space.base, normals.size, bits).reshape(normals.shape)
        found = np.einsum("ij,ij->i", vectors, normals)
        rows, leading = np.arange(len(normals)), _leading(normals)
        vectors[rows, leading] = (vectors[rows, leading] + ~honest - found) % space.base
        return vectors

    def _gather(self, weights: FloatArray) -> FloatArray:
        space = self.space
        codes = _code(space, np.arange(self.messages))
        vectors = np.zeros(space.size)
        vectors[codes] = weights
        return space.orthogonal_sums(vectors, codes[: self.domain.size])

    def _spread(self, weights: FloatArray) -> FloatArray:
        """To be orthogonal is symmetric."""
        space = self.space
        codes = _code(space, np.arange(self.messages))
        vectors = np.zeros(space.size)
        vectors[codes[: self.domain.size]] = weights
        return space.orthogonal_sums(vectors, codes)


def _points(base: int, dimension: int) -> int:
    """How many points a space has: non-zero vectors, those that differ by a factor counted once."""
    return int((base**dimension - 1) // (base - 1))


def _code(space: Space, points: IntArray) -> IntArray:
    """The vector of each point whose leading digit is 1; points are ordered by that vector's number."""
    lengths = np.arange(space.dimension)
    offsets = np.array([_points(space.base, int(length)) for length in lengths])
    length = np.searchsorted(offsets, points, side="right") - 1
    codes: IntArray = space.base**length + points - offsets[length]
    return codes


def _point(space: Space, vectors: IntArray) -> IntArray:
    """The point of each vector: divided by its leading digit, then numbered."""
    rows, leading = np.arange(len(vectors)), _leading(vectors)
    inverses = np.array([pow(digit, -1, space.base) if digit else 0 for digit in range(space.base)])
    codes = space.codes(vectors * inverses[vectors[rows, leading]][:, None] % space.base)
    length = space.dimension - 1 - leading
    offsets = np.array([_points(space.base, n) for n in range(space.dimension)])
    points: IntArray = codes - space.base**length + offsets[length]
    return points


def _leading(vectors: IntArray) -> IntArray:
    """Where each row has its first digit that is not zero."""
    found: IntArray = (vectors != 0).argmax(axis=1)
    return found
