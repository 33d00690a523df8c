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
from tests.support.tables import policy
from tests.unit.planner.test_refusals import REFUSED

MUTATIONS = 20_000
LONGEST = 1.0
"""Seconds."""

SEEDS = [*QUESTIONS, *REFUSED]
TOKENS = """
    SELECT FROM WHERE GROUP BY HAVING ORDER LIMIT OFFSET AS AND OR NOT IN BETWEEN LIKE IS NULL CASE WHEN THEN ELSE END
    DISTINCT FILTER OVER EXISTS CAST DATE TRUE FALSE INTERVAL UNION ALL WITH JOIN ( ) [ ] { } , . ; * + - / // % ^ **
    = <> < > <= >= || :: -> => ' " $$ -- /* */ ? $1 :x @ # ~ ! & | 0 1 -1 1.5 1e9 .5 1e-9 99999999999 '' 'x' k visits
    '2025-01-01' age cost score region reason day urgent patient_id COUNT(*) SUM(age) AVG(cost) COUNT(age)
    STDDEV(score) COALESCE( NULLIF( LEAST( GREATEST( ROUND( FLOOR( ABS( SQRT( LN( EXP( POW( SUBSTRING( CONCAT( UPPER(
    LENGTH( EXTRACT(month DATE_TRUNC('month', YEAR( IF( TRIM( STARTS_WITH( INTEGER VARCHAR DOUBLE BOOLEAN
""".split()  # noqa: SIM905 - a page of words is read more easily
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


def _wrong(text: str, rules: list, spend: Spend) -> str | None:
    """What went wrong, if anything did."""
    start = time.monotonic()
    try:
        bound = bind(parse(text), rules[len(text) % len(rules)])
        assert price(bound, spend).digest
    except Refused as refusal:
        refusal.show(text)
    except Exception as error:  # noqa: BLE001 - that is what is looked for
        place = traceback.extract_tb(error.__traceback__)[-1]
        return f"{type(error).__name__} in {place.name}: {text!r}"
    if time.monotonic() - start > LONGEST:
        return f"{time.monotonic() - start:.1f} s: {text!r}"
    return None


def _search(seed: int, mutations: int) -> list[str]:
    chance = random.Random(seed)  # noqa: S311 - for a search that can be repeated
    rules = [
        policy(Path("nowhere"), contribution=contribution, neighbours=neighbours)
        for contribution, neighbours in ((None, "add-remove"), (3, "add-remove"), (3, "replace"))
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
    rules = policy(Path("nowhere"), contribution=None)
    with pytest.raises(Refused):
        bind(parse(text), rules)
