"""How losses add up: composition of batches, and the filter for questions chosen one after the other. No state."""

from deniable.accounting.compose import METHODS, ComposedGuarantee, compose
from deniable.accounting.filter import Filter

__all__ = ["METHODS", "ComposedGuarantee", "Filter", "compose"]
