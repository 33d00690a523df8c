"""A served clinic and a browser, for all tests of a module."""

import pytest

from tests.support.chromium import Person, browsing
from tests.support.doors import http


@pytest.fixture(scope="module")
def browser():
    with browsing() as opened:
        yield opened


@pytest.fixture(scope="module")
def door(tmp_path_factory):
    with http(tmp_path_factory.mktemp("clinic"), after="100ms", pace=None) as opened:
        yield opened


@pytest.fixture
def person(browser, door):
    """Somebody new; at the end, nothing may have gone wrong on a page that was not meant to."""
    people = []

    def arrive(name=None, **settings):
        people.append(Person(browser, door, **settings))
        return people[-1] if name is None else people[-1].come_in(name)

    yield arrive
    for one in people:
        one.leave()
    assert not [said for one in people for said in one.complaints if "Content Security Policy" in said]
