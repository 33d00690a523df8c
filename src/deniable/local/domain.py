"""What may be answered: the values of a question, and their places in a list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from deniable.core.errors import InvalidArgumentError
from deniable.core.number import whole
from deniable.core.sampling import IntArray

LARGEST = 10**7
"""A collector holds a few numbers for each value."""
_NAMED = 6
"""Names that a refusal lists."""
Values = int | Sequence[str]
"""A number k for the values 0, 1, ..., k - 1, or a list of names."""


@dataclass(frozen=True, slots=True)
class AnswerDomain:
    """The values of a question: 0 to size - 1, or names.

    Example:
        >>> AnswerDomain.of(["no", "yes"]).places(["yes", "no", "yes"]).tolist()
        [1, 0, 1]
    """

    size: int
    names: tuple[str, ...] | None = None

    @classmethod
    def of(cls, values: Values) -> AnswerDomain:
        """From a size or a list of names."""
        if isinstance(values, str):
            raise InvalidArgumentError("domain", "must be a number of values or a list of names, not one text")
        if not isinstance(values, Sequence):
            size = whole("domain", values, least=2)
            if size > LARGEST:
                raise InvalidArgumentError("domain", f"must have at most {LARGEST:,} values; for more use HeavyHitters")
            return cls(size)
        names = tuple(values)
        if not all(isinstance(name, str) for name in names):
            raise InvalidArgumentError("domain", "must be a number of values or a list of names")
        if len(names) < 2 or len(set(names)) < len(names):  # noqa: PLR2004 - one value leaves nothing to ask
            raise InvalidArgumentError("domain", "must have at least two values, and none of them twice")
        return cls(len(names), names)

    @property
    def labels(self) -> tuple[str, ...]:
        """Names for people."""
        return self.names or tuple(map(str, range(self.size)))

    @property
    def spelled(self) -> int | list[str]:
        """As it was given."""
        return list(self.names) if self.names is not None else self.size

    def places(self, values: ArrayLike) -> IntArray:
        """Each value's place in the list; a value that is not in it is refused."""
        given = np.atleast_1d(np.asarray(values))
        if given.ndim != 1 or given.size == 0:
            raise InvalidArgumentError("values", "must be one value, or a list with at least one")
        return self._named(given) if self.names is not None else self._numbered(given)

    def _numbered(self, given: np.ndarray) -> IntArray:
        if given.dtype.kind not in "iub":
            raise InvalidArgumentError("values", f"must be whole numbers from 0 to {self.size - 1}")
        if (given.min() < 0) or (given.max() >= self.size):
            raise InvalidArgumentError("values", f"must lie between 0 and {self.size - 1}")
        return given.astype(np.int64)

    def _named(self, given: np.ndarray) -> IntArray:
        if given.dtype.kind == "O" and all(isinstance(value, str) for value in given.tolist()):
            given = given.astype(np.str_)
        if given.dtype.kind != "U":
            raise InvalidArgumentError("values", f"must be names of the question: {_some(self.labels)}")
        distinct, inverse = np.unique(given, return_inverse=True)
        lookup = {name: place for place, name in enumerate(self.labels)}
        if unknown := [str(name) for name in distinct if str(name) not in lookup]:
            raise InvalidArgumentError("values", f"must be one of {_some(self.labels)}, not {unknown[0]!r}")
        return np.array([lookup[str(name)] for name in distinct], dtype=np.int64)[inverse]


def _some(names: Sequence[str]) -> str:
    """The first few names."""
    return ", ".join(map(repr, names[:_NAMED])) + (", ..." if len(names) > _NAMED else "")
