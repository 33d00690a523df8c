"""Defences that publish a table once: what they have in common."""

from __future__ import annotations

from abc import abstractmethod

import pyarrow as pa

from deniable.attacks.defences.defence import Defence
from deniable.attacks.population import SENSITIVE
from deniable.core.number import Number
from deniable.releases import anonymize, hierarchy


class Publisher(Defence):
    """A defence that publishes people as a table without names."""

    @abstractmethod
    def publish(self, people: pa.Table) -> pa.Table:
        """The release."""


def anonymized(people: pa.Table, k: int, l: int | None = None, t: Number | None = None) -> pa.Table:  # noqa: E741 - the name of the idea
    """What this project's anonymizer publishes of them, by Mondrian: the method that keeps most of the table."""
    known = {"zip": hierarchy.mask(5), "age": hierarchy.interval(5, 10, 20), "sex": hierarchy.flat()}
    return anonymize(people, quasi_identifiers=known, sensitive=SENSITIVE, k=k, l=l, t=t, method="mondrian").table
