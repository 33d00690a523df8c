"""What something is refused with."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from deniable.core.errors import Refused


def code_of(step: Callable[[], object]) -> str:
    """The code of the refusal, which has a hint, and shows nothing of what is behind it."""
    with pytest.raises(Refused) as refused:
        step()
    assert refused.value.hint
    assert refused.value.__context__ is None or refused.value.__suppress_context__
    return refused.value.code
