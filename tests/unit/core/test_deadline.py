"""Time that is shared: what takes long stops by itself."""

import time

import pytest

from deniable.core.deadline import go_on, left, within
from deniable.core.errors import Failed


def test_nobody_counts_unless_told():
    assert left() == float("inf")
    go_on()


def test_what_is_inside_has_no_more_time_than_what_is_around():
    with within(60), within(3_600):
        assert left() <= 60
        with within(0), pytest.raises(Failed):
            go_on()
        go_on()
    assert left() == float("inf")


def test_time_passes():
    with within(0.01):
        time.sleep(0.02)
        with pytest.raises(Failed):
            go_on()
