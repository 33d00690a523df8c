"""Tables that are published: each has the property that it is named after."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from deniable.attacks.classes import PublishedClasses, distinct, matches
from deniable.attacks.defences import Deidentified, KAnonymous, LDiverse, NoisyCounts, TClose
from deniable.attacks.on_tables.composition import compose
from deniable.attacks.on_tables.guessing import beliefs_about, shared_columns
from deniable.attacks.on_tables.homogeneity import exposed_rows
from deniable.attacks.on_tables.linkage import link
from deniable.attacks.on_tables.skewness import worst_class
from deniable.attacks.population import DISEASES, SENSITIVE, ZIPS, population
from deniable.core.errors import InvalidArgumentError
from deniable.releases import anonymize, hierarchy

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
    assert (np.abs(found.weights / found.sizes[:, None] - found.overall).sum(axis=1) / 2 <= 0.3 + 1e-12).all()
    assert len(found.cells) > 1


@pytest.mark.parametrize("publisher", [KAnonymous(), LDiverse(), TClose(0.3)], ids=lambda publisher: publisher.name)
def test_everybody_fits_their_own_class_and_no_other(publisher) -> None:
    codes, combinations = distinct(PEOPLE, ON)
    found = classes_of(publisher)
    person, klass = matches(combinations, found.cells)
    assert sorted(person) == list(range(len(combinations)))
    fits = np.asarray(klass)[np.argsort(person)][codes]
    people_of_each = np.zeros(found.weights.shape)
    diseases = [found.values.index(disease) for disease in PEOPLE[SENSITIVE].to_pylist()]
    np.add.at(people_of_each, (fits, diseases), 1)
    assert (people_of_each == found.weights).all()


@pytest.mark.parametrize(
    ("publisher", "asked"),
    [(KAnonymous(), {}), (LDiverse(), {"l": 3}), (TClose(), {"t": "0.15"})],
    ids=lambda one: getattr(one, "name", ""),
)
def test_what_is_attacked_is_what_the_anonymizer_publishes(publisher, asked: dict) -> None:
    known = {"zip": hierarchy.mask(5), "age": hierarchy.interval(5, 10, 20), "sex": None}
    release = anonymize(PEOPLE, quasi_identifiers=known, sensitive=SENSITIVE, k=3, method="mondrian", **asked)
    assert publisher.publish(PEOPLE) == release.table


@pytest.mark.parametrize("asked", [{"k": 3}, {"k": 3, "l": 3}, {"k": 4, "method": "optimal"}], ids=str)
def test_the_report_counts_what_the_attacks_find_in_the_published_table(asked: dict) -> None:
    people = population(300, CHANCE)
    known = {"zip": hierarchy.mask(5), "age": hierarchy.interval(5, 10, 20), "sex": None}
    settings = {"quasi_identifiers": known, "sensitive": SENSITIVE} | {"method": "mondrian"} | asked
    release = anonymize(people, **settings)
    (exposure,) = release.report.exposures
    assert exposure.certain[0] == exposed_rows(release.table, ON, SENSITIVE).sum()
    worst = {value: worst_class(release.table, ON, SENSITIVE, value) for value in DISEASES}
    assert exposure.skew == pytest.approx(max(most / overall for most, overall in worst.values() if overall))
    assert exposure.skewed_share == pytest.approx(worst[exposure.skewed])
    other = "optimal" if settings["method"] == "mondrian" else "mondrian"
    second = anonymize(people, **settings | {"method": other})
    together = compose(release.table, second.table, ON, SENSITIVE, people)
    (joint,) = release.report.compositions
    assert joint.together == (together.left == 1).sum()
    assert joint.open_together == pytest.approx(together.left.mean())
    assert joint.alone == link(release.table, people, ON, SENSITIVE).exposed.sum()


def test_names_are_gone_from_every_release() -> None:
    for publisher in (Deidentified(), KAnonymous(), LDiverse(), TClose(), NoisyCounts(1, DISEASES, ZIPS)):
        assert "name" not in publisher.publish(PEOPLE).column_names


def test_noisy_counts_cover_every_combination_and_come_close_at_a_large_epsilon() -> None:
    # scale 2/100: a count is off by 1 with probability below 2e-22
    release = NoisyCounts(100, DISEASES, ZIPS).publish(PEOPLE)
    assert release.num_rows == len(ZIPS) * 7 * len(DISEASES)
    beliefs = beliefs_about(release, PEOPLE)
    assert shared_columns(release, PEOPLE) == ["zip", "age"]
    assert PublishedClasses.of(release, ["zip", "age"], SENSITIVE).weights.sum() == PEOPLE.num_rows
    own = [beliefs.values.index(value) for value in PEOPLE[SENSITIVE].to_pylist()]
    assert (beliefs.weights[np.arange(500), own] >= 1).all()


def test_what_cannot_be_published_says_why() -> None:
    with pytest.raises(InvalidArgumentError, match="k is 501, but the table has only 500 rows"):
        KAnonymous(501).publish(PEOPLE)
    with pytest.raises(InvalidArgumentError, match="at least 1"):
        population(0, CHANCE)
