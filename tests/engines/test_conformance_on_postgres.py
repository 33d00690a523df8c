"""All of the conformance suites on PostgreSQL; tests/engines/test_same_answers.py is their fast version."""

import pytest

from tests.conformance import (
    test_bounded,
    test_cuts,
    test_generated,
    test_generated_sensitivity,
    test_plain,
    test_reach,
)
from tests.engines.collected import everything, there

__all__ = ["there"]  # a fixture, for every test here
pytestmark = pytest.mark.deep

globals().update(everything(test_bounded, test_cuts, test_generated, test_generated_sensitivity))
globals().update(everything(test_plain, test_reach))
