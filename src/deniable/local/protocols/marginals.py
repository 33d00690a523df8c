"""Tables of several attributes: each respondent speaks about one combination of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, product
from math import prod
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deniable.core.bits import BitSource
from deniable.core.errors import InvalidArgumentError
from deniable.core.number import Number, whole
from deniable.core.sampling import IntArray, uniform
from deniable.local.choose import choose
from deniable.local.domain import AnswerDomain, Values
from deniable.local.estimate import Estimate
from deniable.local.families.listed import ListedProtocol
from deniable.local.families.protocol import Law, Protocol, below
from deniable.local.odds import asked
from deniable.local.reports import Reports, smallest

Names = tuple[str, ...]


@dataclass(frozen=True, slots=True, init=False)
class Marginals(Protocol):
    """Picks one set of attributes at random and sends its combination of values by the chosen protocol.

    Input:         one value for each attribute.
    Guarantee:     every report is at most e^epsilon times likelier under one person than under another: which set is
                   sent does not depend on the values, and its protocol keeps the bound.
    Error:         each table rests on one in m of the reports, m the number of sets; its shares are unbiased with m
                   times the variance that all respondents would give. Intervals are exact, and hold for the shares
                   among                   all respondents.
    Message size:  log2(m) bits more than the largest set's protocol.
    Cost:          that of one report per respondent; m tables for the collector.
    Reference:     Cormode, Kulkarni, Srivastava 2018 (marginal sampling).
    Proof:         docs/proofs/local.md

    Example:
        >>> survey = Marginals({"sex": ["f", "m"], "smokes": ["no", "yes"], "age": 5}, epsilon=2)
        >>> people = {"sex": ["f", "m"] * 500, "smokes": ["no"] * 1000, "age": [2] * 1000}
        >>> tables = survey.estimate(survey.perturb(people))
        >>> list(tables), tables["sex", "smokes"].value.shape
        ([('sex', 'smokes'), ('sex', 'age'), ('smokes', 'age')], (2, 2))
    """

    attributes: tuple[tuple[str, AnswerDomain], ...]
    epsilon: Fraction
    ways: int

    def __init__(self, attributes: Mapping[str, Values], epsilon: Number, ways: int = 2) -> None:
        if not isinstance(attributes, Mapping):
            raise InvalidArgumentError("attributes", "must name each attribute's values")
        domains = tuple((str(name), AnswerDomain.of(values)) for name, values in attributes.items())
        self._set(attributes=domains, epsilon=asked(epsilon), ways=whole("ways", ways))
        if self.ways > len(domains):
            raise InvalidArgumentError("ways", f"must be at most the number of attributes, {len(domains)}")

    @classmethod
    def typical(cls, epsilon: Number) -> Self:
        """Three attributes of two and three values."""
        return cls({"a": 2, "b": 3, "c": 2}, epsilon)

    @property
    def settings(self) -> Mapping[str, Any]:
        """Attributes in their order, epsilon, and how many make a table."""
        return {
            "protocol": "Marginals",
            "attributes": [[name, domain.spelled] for name, domain in self.attributes],
            "epsilon": str(self.epsilon),
            "ways": self.ways,
        }

    @property
    def tables(self) -> dict[Names, ListedProtocol]:
        """Each set of attributes, and the protocol for its combinations."""
        return _tables(self.attributes, self.epsilon, self.ways)

    def inputs(self) -> Sequence[Any]:
        """Every person that there can be."""
        ranges = [domain.names or range(domain.size) for _, domain in self.attributes]
        return [dict(zip((name for name, _ in self.attributes), row, strict=True)) for row in product(*ranges)]

    def law(self, value: Mapping[str, Any]) -> Law:
        """Each set is as likely; its reports are numbered after those of the sets before it."""
        places = self._places(value)
        chance = Fraction(1, len(self.tables))
        return {
            start + report: chance * part
            for (names, protocol), start in zip(self.tables.items(), self._starts, strict=False)
            for report, part in protocol.law(int(self._cell(names, places)[0])).items()
        }

    def estimate(self, reports: Reports, confidence: Number = 0.95) -> dict[Names, Estimate]:  # type: ignore[override]
        """One estimate for each table that has reports, shaped like it."""
        data = self._read(reports).astype(np.int64)
        starts, found = self._starts, {}
        for (names, protocol), start, end in zip(self.tables.items(), starts, starts[1:], strict=False):
            mine = data[(data >= start) & (data < end)] - start
            if mine.size:
                support = protocol._support(mine)  # noqa: SLF001 - its own parts
                found[names] = self._shaped(names, protocol._judge(support, mine.size, confidence))  # noqa: SLF001 - its own parts
        return found

    def check(self, values: Any) -> None:  # noqa: ANN401 - columns by name
        """Each must be a value of its attribute."""
        self._places(values)

    @property
    def _starts(self) -> IntArray:
        """Where each set's reports begin, and where the last one's end."""
        return np.cumsum([0, *(protocol.messages for protocol in self.tables.values())])

    def _shaped(self, names: Names, flat: Estimate) -> Estimate:
        domains = [dict(self.attributes)[name] for name in names]
        shape = tuple(domain.size for domain in domains)
        labels = tuple(" / ".join(parts) for parts in product(*(domain.labels for domain in domains)))

        def shaped(ends: tuple[Any, Any]) -> tuple[Any, Any]:
            return ends[0].reshape(shape), ends[1].reshape(shape)

        return Estimate(
            value=flat.value.reshape(shape),
            interval=shaped(flat.interval),
            simultaneous=shaped(flat.simultaneous),
            confidence=flat.confidence,
            people=flat.people,
            loss=self.loss,
            labels=labels,
        )

    def _places(self, values: Mapping[str, ArrayLike]) -> dict[str, IntArray]:
        """Each attribute's column as places in its domain."""
        if not isinstance(values, Mapping) or set(values) != {name for name, _ in self.attributes}:
            raise InvalidArgumentError("values", f"must have {', '.join(name for name, _ in self.attributes)}")
        places = {name: domain.places(values[name]) for name, domain in self.attributes}
        if len({column.size for column in places.values()}) != 1:
            raise InvalidArgumentError("values", "must have as many of each attribute")
        return places

    def _cell(self, names: Names, places: Mapping[str, IntArray]) -> IntArray:
        """The number of a combination."""
        shape = tuple(dict(self.attributes)[name].size for name in names)
        return np.ravel_multi_index(tuple(places[name] for name in names), shape)

    def _perturb(self, values: Any, bits: BitSource) -> NDArray[Any]:  # noqa: ANN401 - columns by name
        places = self._places(values)
        people = next(iter(places.values())).size
        starts, chosen = self._starts, uniform(len(self.tables), people, bits)
        reports = np.empty(people, dtype=np.int64)
        for number, (names, protocol) in enumerate(self.tables.items()):
            mine = np.flatnonzero(chosen == number)
            if mine.size:
                cells = self._cell(names, places)[mine]
                reports[mine] = starts[number] + protocol._perturb(cells, bits).astype(np.int64)  # noqa: SLF001 - its own parts
        return smallest(reports, int(starts[-1]))

    def _valid(self, data: NDArray[Any]) -> bool:
        return below(data, int(self._starts[-1]))


@lru_cache(maxsize=64)
def _tables(
    attributes: tuple[tuple[str, AnswerDomain], ...], epsilon: Fraction, ways: int
) -> dict[Names, ListedProtocol]:
    """Each set of attributes in its order, with the protocol that suits the number of its combinations."""
    return {
        tuple(name for name, _ in chosen): choose(prod(domain.size for _, domain in chosen), epsilon).protocol
        for chosen in combinations(attributes, ways)
    }
