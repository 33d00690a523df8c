from __future__ import annotations

import sys

import pytest

from deniable.core.errors import InvalidArgumentError
from deniable.core.extras import needed


def test_what_is_installed_is_given() -> None:
    assert needed("plot", "fractions", "plot").Fraction(1, 2) * 2 == 1


def test_what_is_missing_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy.optimize", None)
    with pytest.raises(InvalidArgumentError, match=r"strategy needs scipy: pip install 'deniable\[scipy\]'") as raised:
        needed("strategy", "scipy.optimize", "scipy")
    assert raised.value.__cause__ is None
