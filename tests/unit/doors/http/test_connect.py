"""`deniable.connect` can be named, and completed, without what it needs; what is missing is said when it is called."""

import sys

import pytest

import deniable
from deniable.core.errors import InvalidArgumentError


@pytest.mark.parametrize("library", ["fastapi", "httpx"])
def test_a_missing_extra_is_named(monkeypatch, library):
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(InvalidArgumentError, match=rf"^connect needs {library}: pip install 'deniable\[serve\]'$"):
        deniable.connect("http://localhost:1", token="x")  # noqa: S106 - nobody is asked


def test_everything_that_is_offered_is_completed_and_there():
    assert set(deniable.__all__) <= set(dir(deniable))
    assert all(getattr(deniable, name).__doc__ for name in deniable.__all__)
