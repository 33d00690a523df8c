"""Lines of the adversary on neighbouring pairs, on PostgreSQL."""

from tests.adversary import test_enforced, test_values
from tests.engines.collected import everything, there

__all__ = ["there"]  # a fixture, for every test here

globals().update(everything(test_enforced, test_values))
