"""For every test and every page: strategies and accounts stay out of the user's own cache and state."""

import os
import tempfile

import pytest

os.environ["DENIABLE_CACHE"] = tempfile.mkdtemp(prefix="deniable-cache-")
os.environ["DENIABLE_STATE"] = tempfile.mkdtemp(prefix="deniable-state-")


@pytest.fixture(autouse=True)
def _nobody_else_has_accounts(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests use the same made-up people again and again; each is a user of its own."""
    monkeypatch.setenv("DENIABLE_STATE", str(tmp_path_factory.mktemp("state")))


def pytest_addoption(parser: pytest.Parser) -> None:
    """For the golden files in tests/plans."""
    parser.addoption("--rewrite-plans", action="store_true", help="write the plans in tests/plans again")
