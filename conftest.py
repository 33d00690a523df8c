"""For every test and every page: strategies that are found stay out of the user's own cache."""

import os
import tempfile

import pytest

os.environ["DENIABLE_CACHE"] = tempfile.mkdtemp(prefix="deniable-cache-")


def pytest_addoption(parser: pytest.Parser) -> None:
    """For the golden files in tests/plans."""
    parser.addoption("--rewrite-plans", action="store_true", help="write the plans in tests/plans again")
