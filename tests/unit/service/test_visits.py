"""Visits end: when they are left, when nothing is asked, and after half a day."""

import asyncio

import pytest

from deniable.service.visits import Visits
from tests.support.served import served, session


@pytest.fixture
def alice(tmp_path):
    async def play():
        with served(tmp_path) as (service, secrets):
            return await session(service, secrets["alice"])

    return asyncio.run(play())


def test_a_visit_is_found_by_its_key_alone_until_it_is_left(alice):
    visits = Visits(idle=60)
    key, visit = visits.begin(alice)
    assert visits.find(key) is visit
    assert visits.find(key[:-1]) is None
    assert visits.find("") is None
    assert key not in repr(vars(visits))
    visits.end(key)
    assert visits.find(key) is None


def test_a_visit_ends_without_a_word_and_after_half_a_day(alice):
    now = [0.0]
    visits = Visits(idle=60, clock=lambda: now[0])
    key, _ = visits.begin(alice)
    for now[0] in range(0, 12 * 3600, 50):
        assert visits.find(key) is not None
    now[0] += 51
    assert visits.find(key) is None
    key, _ = visits.begin(alice)
    now[0] += 61
    assert visits.find(key) is None


def test_every_visit_has_forms_of_its_own_and_one_person_has_no_more_than_a_few(alice):
    visits = Visits(idle=60)
    keys = [visits.begin(alice)[0] for _ in range(40)]
    found = [visit for key in keys if (visit := visits.find(key)) is not None]
    assert len(found) == 16
    assert found[-1] is visits.find(keys[-1])
    assert len({visit.form for visit in found}) == 16
    assert found[0].sent(found[0].form)
    assert not found[0].sent(found[1].form)
    assert not found[0].sent("")
