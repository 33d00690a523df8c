"""The adversary's lines about rows on PostgreSQL; tests/engines/test_on_postgres.py has some of them in every run."""

import pytest

from tests.adversary import test_explosions, test_expressions, test_extreme_unit, test_relations
from tests.engines.collected import everything, there

__all__ = ["there"]  # a fixture, for every test here
pytestmark = pytest.mark.deep

globals().update(everything(test_explosions, test_expressions, test_extreme_unit, test_relations))
