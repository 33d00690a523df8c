"""Whatever is typed, it is a question or a refusal: no other exception, and never a long wait."""

import logging
import random
import time
import traceback
from pathlib import Path

import pytest

from deniable.core.errors import Refused
from deniable.planner import Spend, bind, parse, price
from tests.conformance.test_plain import QUESTIONS
from tests.conformance.test_relations import QUESTIONS as RELATIONS
from tests.support import tables, world
from tests.unit.planner.test_refusals import REFUSED

MUTATIONS = 8_000
LONGEST = 3.0
"""Seconds of processor time: one on a quiet machine, and what a busy one makes of it."""

CHOICES = [
    "SELECT MEDIAN(age), MIN(cost), MAX(score), MODE(region) FROM visits",
    "SELECT region, QUANTILE_CONT(cost, [0.25, 0.5, 0.999]) AS q FROM visits GROUP BY region",
    "SELECT PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY age DESC) FROM visits v JOIN stays s USING (patient_id)",
    "SELECT APPROX_TOP_K(region, 3) AS t, MODE() WITHIN GROUP (ORDER BY age) FILTER (WHERE urgent) FROM visits",
    "SELECT COUNT(DISTINCT reason), APPROX_COUNT_DISTINCT(day), APPROX_QUANTILE(age, 0.1) FROM visits",
]
SEEDS = [*QUESTIONS, *REFUSED, *RELATIONS, *CHOICES]
PHRASES = [
    "JOIN stays USING (patient_id)",
    "LEFT JOIN hospitals h ON v.hospital = h.hospital",
    "patient_id IN (SELECT patient_id FROM stays)",
    "UNION ALL SELECT patient_id FROM stays",
    "(SELECT patient_id, COUNT(*) AS n FROM visits GROUP BY patient_id) t",
    "WITH v AS (SELECT * FROM visits)",
    "GROUP BY patient_id HAVING SUM(cost) > 3",
    "SELECT DISTINCT patient_id, region FROM visits",
]
WORDS = """
    SELECT FROM WHERE GROUP BY HAVING ORDER LIMIT OFFSET AS AND OR NOT IN BETWEEN LIKE IS NULL CASE WHEN THEN ELSE END
    DISTINCT FILTER OVER EXISTS CAST DATE TRUE FALSE INTERVAL UNION ALL WITH JOIN ( ) [ ] { } , . ; * + - / // % ^ **
    = <> < > <= >= || :: -> => ' " $$ -- /* */ ? $1 :x @ # ~ ! & | 0 1 -1 1.5 1e9 .5 1e-9 99999999999 '' 'x' k visits
    '2025-01-01' age cost score region reason day urgent patient_id COUNT(*) SUM(age) AVG(cost) COUNT(age)
    STDDEV(score) COALESCE( NULLIF( LEAST( GREATEST( ROUND( FLOOR( ABS( SQRT( LN( EXP( POW( SUBSTRING( CONCAT( UPPER(
    LENGTH( EXTRACT(month DATE_TRUNC('month', YEAR( IF( TRIM( STARTS_WITH( INTEGER VARCHAR DOUBLE BOOLEAN
    LEFT INNER OUTER CROSS NATURAL SEMI ANTI ASOF POSITIONAL LATERAL USING ON RECURSIVE VALUES EXCLUDE REPLACE EXCEPT
    INTERSECT QUALIFY WINDOW PIVOT UNPIVOT WITHIN stays hospitals survey v s t h t.* v.* ward nights city beds hospital
    MEDIAN(age) MIN(cost) MAX(score) MODE(region) QUANTILE_CONT(age, [0.5] COUNT(DISTINCT BOOL_OR(urgent)
""".split()  # noqa: SIM905 - a page of words is read more easily
TOKENS = [*WORDS, *PHRASES]
LETTERS = "aZ_09 \t\n\r\x00\x0b\xa0é\u0301\u202e\ufeff²٣\U0001d7d9'\"`$()[]{}<>=!~|&*/+-%^.,;:?@#\\"


def _mutated(chance: random.Random) -> str:
    """A question with a few words or letters changed."""
    text = chance.choice(SEEDS)
    for _ in range(chance.randrange(1, 5)):
        place = chance.randrange(len(text) + 1)
        match chance.randrange(6):
            case 0:
                text = f"{text[:place]} {chance.choice(TOKENS)} {text[place:]}"
            case 1:
                text = text[:place] + text[place + chance.randrange(1, 9) :]
            case 2:
                text = text[:place] + chance.choice(LETTERS) + text[place:]
            case 3:
                words = text.split(" ")
                words[chance.randrange(len(words))] = chance.choice(TOKENS)
                text = " ".join(words)
            case 4:
                other = chance.choice(SEEDS)
                text = text[:place] + other[chance.randrange(len(other) + 1) :]
            case _:
                end = chance.randrange(place, len(text) + 1)
                text = text[:end] + text[place:end] + text[end:]
    return text


def _wrong(text: str, rules: list, spend: Spend, tries: int = 3) -> str | None:
    """What went wrong, if anything did. It takes too long only if it does so each time: others use the machine, too."""
    start = time.process_time()
    try:
        bound = bind(parse(text), rules[len(text) % len(rules)])
        assert price(bound, spend).digest
    except Refused as refusal:
        refusal.show(text)
    except Exception as error:  # noqa: BLE001 - that is what is looked for
        place = traceback.extract_tb(error.__traceback__)[-1]
        return f"{type(error).__name__} in {place.name}: {text!r}"
    if (took := time.process_time() - start) <= LONGEST:
        return None
    return _wrong(text, rules, spend, tries - 1) if tries > 1 else f"{took:.1f} s: {text!r}"


def _search(seed: int, mutations: int) -> list[str]:
    chance = random.Random(seed)  # noqa: S311 - for a search that can be repeated
    rules = [
        tables.policy(Path("nowhere"), contribution=None),
        world.policy(Path("nowhere"), contribution=3),
        world.policy(Path("nowhere"), contribution=3, neighbours="replace"),
    ]
    spends = [
        Spend.of(epsilon=1),
        Spend.of(rho=1, delta="1e-9"),
        Spend.of(accuracy=20),
        Spend.of(epsilon="0.1", delta="1e-9"),
    ]
    found = (_wrong(_mutated(chance), rules, chance.choice(spends)) for _ in range(mutations))
    return [problem for problem in found if problem is not None]


@pytest.fixture(autouse=True)
def _quiet(monkeypatch):
    """The parser warns of every statement that it cannot read."""
    monkeypatch.setattr(logging.getLogger("sqlglot"), "disabled", True)


def test_whatever_is_typed_is_planned_or_refused():
    assert _search(1, MUTATIONS) == []


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(2, 52))
def test_a_million_mutations(seed):
    assert _search(seed, 20_000) == []


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        ";",
        "\x00",
        "--",
        "/*",
        "SELECT",
        "(" * 10_000,
        "SELECT " * 2_000,
        "a" * 100_000,
        "\ud800",
        "🙂" * 50,
        "'" * 19_999,
        "1" * 19_999,
        "SELECT " + "1," * 9_000,
    ],
)
def test_degenerate_texts_are_refused(text):
    rules = tables.policy(Path("nowhere"), contribution=None)
    with pytest.raises(Refused):
        bind(parse(text), rules)
