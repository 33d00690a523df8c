"""For every test and every page: strategies and accounts stay out of the user's own cache and state."""

import os
import tempfile
from collections.abc import Iterator
from itertools import count

import pytest

pytest_plugins = [f"tests.support.{name}" for name in ("bits", "nursery", "postgres", "ledgers", "sail")]

os.environ["DENIABLE_CACHE"] = tempfile.mkdtemp(prefix="deniable-cache-")
os.environ["DENIABLE_STATE"] = tempfile.mkdtemp(prefix="deniable-state-")
_USERS = count(1)


@pytest.fixture(autouse=True)
def _nobody_else_has_accounts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Tests use the same made-up people again and again; each is a user of its own, whatever a test takes back.

    The folder is named here and made by who needs it: pytest's own numbering reads all earlier folders each time.
    """
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("DENIABLE_STATE", str(tmp_path_factory.getbasetemp() / "states" / str(next(_USERS))))
        yield


def pytest_addoption(parser: pytest.Parser) -> None:
    """For the golden files in tests/plans."""
    parser.addoption("--rewrite-plans", action="store_true", help="write the plans in tests/plans again")
