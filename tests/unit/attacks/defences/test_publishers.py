"""Tables that are published: each has the property that it is named after."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from deniable.attacks.classes import PublishedClasses
from deniable.attacks.defences import Deidentified, KAnonymous, LDiverse, NoisyCounts, TClose
from deniable.attacks.on_tables.guessing import beliefs_about, shared_columns
from deniable.attacks.population import DISEASES, SENSITIVE, ZIPS, population
from deniable.core.errors import InvalidArgumentError

CHANCE = np.random.default_rng()
PEOPLE = population(500, CHANCE)
ON = ("zip", "age", "sex")


def classes_of(publisher, people: pa.Table = PEOPLE) -> PublishedClasses:
    return PublishedClasses.of(publisher.publish(people), ON, SENSITIVE)


@pytest.mark.parametrize("k", [2, 3, 10, 100])
def test_k_people_look_alike(k: int) -> None:
    assert classes_of(KAnonymous(k)).sizes.min() >= k


def test_l_values_are_in_every_class() -> None:
    found = classes_of(LDiverse(l=3))
    assert ((found.weights > 0).sum(axis=1) >= 3).all()
    assert found.sizes.min() >= 3


def test_every_class_is_close_to_all() -> None:
    found = classes_of(TClose(t=0.3))
    assert (np.abs(found.shares - found.overall).sum(axis=1) / 2 <= 0.3 + 1e-12).all()
    assert len(found.cells) > 1


@pytest.mark.parametrize("publisher", [KAnonymous(), LDiverse(), TClose(0.3)], ids=lambda publisher: publisher.name)
@pytest.mark.parametrize("order", [("zip", "age", "sex"), ("age", "sex", "zip")])
def test_everybody_fits_their_own_class_and_no_other(publisher, order: tuple[str, ...]) -> None:
    release = publisher.publish(PEOPLE, order)
    found = PublishedClasses.of(release, ON, SENSITIVE)
    assert (found.rows_each(PEOPLE) == found.sizes[found.row]).all()


def test_names_are_gone_from_every_release() -> None:
    for publisher in (Deidentified(), KAnonymous(), LDiverse(), TClose(), NoisyCounts(1, DISEASES, ZIPS)):
        assert "name" not in publisher.publish(PEOPLE).column_names


def test_noisy_counts_cover_every_combination_and_come_close_at_a_large_epsilon() -> None:
    # scale 2/100: a count is off by 1 with probability below 2e-22
    release = NoisyCounts(100, DISEASES, ZIPS).publish(PEOPLE)
    assert release.num_rows == len(ZIPS) * 7 * len(DISEASES)
    found, beliefs = beliefs_about(release, PEOPLE)
    assert shared_columns(release, PEOPLE) == ["zip", "age"]
    assert found.weights.sum() == PEOPLE.num_rows
    assert (beliefs[np.arange(500), [found.values.index(value) for value in PEOPLE[SENSITIVE].to_pylist()]] >= 1).all()


def test_what_cannot_be_published_says_why() -> None:
    with pytest.raises(InvalidArgumentError, match="not even all 500 people"):
        KAnonymous(501).publish(PEOPLE)
    with pytest.raises(InvalidArgumentError, match="at least 1"):
        population(0, CHANCE)
