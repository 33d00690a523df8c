"""Tests of other folders, collected again: what is opened meanwhile is opened on PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest

from tests.support import odd
from tests.support.moved import on_postgres
from tests.support.postgres import Server

FILES_ALONE = frozenset(
    {
        "test_15_a_question_that_takes_too_long_is_paid",  # these two look at DuckDB's worker process
        "test_16_a_worker_that_is_killed_is_replaced",
    }
)


def everything(*modules: ModuleType) -> dict[str, Any]:
    """Tests, their fixtures and what they use, by name."""
    return {
        name: value
        for module in modules
        for name, value in vars(module).items()
        if not name.startswith("__") and name not in FILES_ALONE
    }


@pytest.fixture(autouse=True, scope="module")
def there(postgres: Server) -> Iterator[None]:
    """A database of the module's own, whose texts have no zero byte."""
    rows = odd.odd_rows
    with postgres.database() as url, on_postgres(url), pytest.MonkeyPatch.context() as patch:
        patch.setattr(odd, "odd_rows", lambda chance, many: odd.without_zero(rows(chance, many)))
        yield
