"""What the tests of all mechanisms share."""

from __future__ import annotations

import pytest


@pytest.fixture
def no_randomness(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any draw fails the test."""

    def refuse(count: int) -> bytes:
        raise AssertionError(f"drew {count} bytes")

    monkeypatch.setattr("os.urandom", refuse)
