"""Each way to write about days, moments and texts, without noise, on odd rows: it equals plain DuckDB."""

from contextlib import closing
from datetime import UTC, datetime
from random import Random

import pytest

from deniable.core.errors import Refused
from deniable.planner import Spend, bind, parse, price
from tests.support.curators import silence
from tests.support.odd import curator, odd_rows, plain, policy

ROWS = 400
CONDITIONS = [
    "moment > '2025-01-15 10:30'",
    "moment >= DATE '2025-02-01'",
    "day = moment",
    "moment < day",
    "stamp >= '2025-03-30' AND stamp < '2025-03-31'",
    "moment + INTERVAL '1 month' > '2025-03-01'",
    "moment - INTERVAL 36 HOUR < '2025-01-20'",
    "moment - TIMESTAMP '2025-01-10 12:00:00' > INTERVAL '3 days 2 hours'",
    "day + INTERVAL '1 day' = DATE '2025-03-02'",
    "day + 3 > '2025-06-01' AND day - 3 < '2025-09-01'",
    "EXTRACT(hour FROM stamp) IN (1, 2, 3)",
    "date_part('dow', stamp) = 0 OR dayofyear(day) > 300 OR week(day) = 1",
    "EXTRACT(minute FROM moment) < 10 AND EXTRACT(epoch FROM moment) > 1736000000",
    "clock >= '09:30' AND clock < TIME '23:59:59.999999'",
    "CAST(stamp AS TIME) > TIME '12:00:00'",
    "date(moment) = DATE '2025-01-20' OR CAST(moment AS DATE) > '2025-02-20'",
    "strftime(stamp, '%H:%M') < '06:00'",
    "date_diff('month', since, day) > 0",
    "date_diff('hour', moment, stamp) BETWEEN -100 AND 2000",
    "last_day(day) = day",
    "dayname(day) = 'Sunday' OR monthname(day) = 'May'",
    "time_bucket(INTERVAL '15 minutes', moment) = moment",
    "DATE_TRUNC('quarter', moment) = '2025-01-01'",
    "urgent = 1",
    "urgent = 'false'",
    "age = '8' OR age > '90'",
    "cost BETWEEN 0.06 - 0.01 AND 100.07 + 0.01",
    "word ILIKE 'A%' OR word NOT ILIKE '%2%'",
    "regexp_matches(word, '^[0-9]{4}-') OR regexp_full_match(word, '[a-z]+')",
    "word ~ '^a$' OR word !~ '^[0-9 -]+$'",
    "LPAD(word, 4, '0') = '000a' OR RPAD(word, 2, 'x') = 'ax'",
    "SPLIT_PART(word, '-', 2) = '02' OR SPLIT_PART(word, '-', -1) = '12'",
    "TRIM(LEADING '2' FROM word) = '025-02-30' OR LTRIM(word) = '12 ' OR TRIM(word, ' 1') = '2'",
    "CONCAT_WS('-', word, town) = 'a-north' OR REPLACE(word, '-', '') = '12'",
    "LEFT(word, 2) = '20' OR RIGHT(word, 2) = '29' OR STRPOS(word, 'a') = 2 OR STRLEN(word) = 2",
    "REVERSE(town) = 'htron' OR suffix(town, 'th') OR prefix(town, 'ea')",
    "word IS DISTINCT FROM 'a' AND age IS NOT DISTINCT FROM age",
    "CBRT(age) > 3 AND LOG(age + 1) < 2 AND LOG2(age + 1) > 1 AND TRUNC(age / 7) = 5",
    "MOD(place, 3) = 1 AND SIGN(place - 4) = 1 AND GREATEST(place, 5) = 6",
    "CAST(cost AS DECIMAL(10, 1)) = 12.5",
    "TRY_CAST(word AS INTEGER) = -12 OR word::date = '2024-02-29'::date",
]
KEYS = [
    "DATE_TRUNC('day', moment)",
    "DATE_TRUNC('month', moment)",
    "DATE_TRUNC('quarter', day)",
    "DATE_TRUNC('decade', day)",
    "CAST(moment AS DATE)",
    "strftime(moment, '%Y-%m')",
    "strftime(day, '%G-W%V')",
    "EXTRACT(hour FROM stamp)",
    "EXTRACT(dow FROM stamp)",
    "EXTRACT(isodow FROM moment)",
    "EXTRACT(doy FROM day)",
    "EXTRACT(year FROM day)",
    "dayname(day)",
    "day + INTERVAL '1 month'",
    "time_bucket(INTERVAL '6 hours', moment)",
    "ROUND(LEAST(GREATEST(score, -3), 3), 1)",
]


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    """A quiet curator and plain DuckDB over the same odd rows, and nobody heavy."""
    folder, rows = tmp_path_factory.mktemp("types"), odd_rows(Random(5), ROWS)  # noqa: S311 - for rows that can be made again
    with closing(plain(rows)) as reference, curator(folder, rows, policy(folder, contribution=10_000)) as quiet:
        yield quiet, reference


@pytest.mark.parametrize("condition", CONDITIONS)
def test_conditions(asked, condition, monkeypatch):
    quiet, reference = asked
    silence(monkeypatch)
    found = quiet.ask(f"SELECT COUNT(*) AS n FROM visits WHERE {condition}", epsilon=1).table["n"][0].as_py()
    tried = condition.replace("word::date", "TRY_CAST(word AS DATE)").replace(" ~ '^a$'", " = 'a'")
    tried = tried.replace("word !~ '^[0-9 -]+$'", "NOT regexp_full_match(word, '[0-9 -]+')")
    tried = tried.replace("LOG(age + 1)", "LOG10(age + 1)")
    assert found == reference.sql(f"SELECT COUNT(*) FROM visits WHERE {tried}").fetchall()[0][0]


@pytest.mark.parametrize("key", KEYS)
def test_keys(asked, key, monkeypatch):
    """Known from bounds alone: every group that the data has is among them, with its count."""
    quiet, reference = asked
    silence(monkeypatch)
    answer = quiet.ask(f"SELECT {key} AS k, COUNT(*) AS n FROM visits GROUP BY k", epsilon=1)
    assert answer.plan.selection is None
    found = {str(row["k"]).removesuffix(" 00:00:00"): row["n"] for row in answer.table.to_pylist()}
    wanted = reference.sql(f"SELECT {key} AS k, COUNT(*) FROM visits GROUP BY k").fetchall()
    for value, many in wanted:
        plainly = 0.0 if value == 0 and isinstance(value, float) else value  # there is one zero
        assert found.pop(str(plainly).removesuffix(" 00:00:00")) == many
    assert not any(found.values())


@pytest.mark.parametrize("condition", ["moment >= '2025-02-01' AND moment < '2025-02-04'", "day > '2025-12-29'"])
def test_conditions_on_a_moment_leave_only_the_groups_that_can_be(asked, condition):
    quiet, _ = asked
    column = condition.split()[0]
    quote = quiet.explain(
        f"SELECT CAST({column} AS DATE) AS k, COUNT(*) FROM visits WHERE {condition} GROUP BY k", epsilon=1
    )
    assert quote.groups == (3 if column == "moment" else 2)


@pytest.mark.parametrize("column", ["day", "moment"])
@pytest.mark.parametrize(
    ("ours", "theirs"), [("MEDIAN", "QUANTILE_DISC({}, 0.5)"), ("MIN", "MIN({})"), ("MAX", "MAX({})")]
)
def test_extremes_and_medians_of_days_and_moments(asked, column, ours, theirs, monkeypatch):
    quiet, reference = asked
    silence(monkeypatch)
    answer = quiet.ask(f"SELECT {ours}({column}) AS x, MAX({column}) - MIN({column}) AS w FROM visits", epsilon=10**6)
    (wanted,) = reference.sql(f"SELECT {theirs.format(column)} FROM visits").fetchall()[0]
    (found,) = answer.table["x"].to_pylist()
    assert type(found) is type(wanted)
    step = {"day": 86_400, "moment": 600}[column]
    assert abs((found - wanted).total_seconds()) <= step
    low, high = (answer.intervals[f"x_{side}"][0].as_py() for side in ("low", "high"))
    assert low <= found <= high
    assert str(found.year) in str(answer.sheet().columns[0].cells)


NOW = datetime(2025, 3, 2, 23, 40, tzinfo=UTC)


def _plan(asked, sql, now):
    return price(bind(parse(sql), asked[0].policy, now), Spend.of(epsilon=1))


def test_now_is_a_constant_cut_to_the_hour_and_said(asked):
    sql = "SELECT COUNT(*) AS n FROM visits WHERE moment >= now() - INTERVAL '1 day' AND day < CURRENT_DATE"
    plan = _plan(asked, sql, NOW)
    assert [note for note in plan.quote.notes if "CURRENT" in note] == [
        "CURRENT_TIMESTAMP is 2025-03-02 23:00:00 in this question (UTC; cut to the hour)",
        "CURRENT_DATE is 2025-03-02 in this question (UTC; cut to the hour)",
    ]
    assert _plan(asked, sql, NOW.replace(minute=1)).digest == plan.digest
    assert _plan(asked, sql, NOW.replace(hour=22)).digest != plan.digest
    written = "SELECT COUNT(*) FROM visits WHERE moment >= '2025-03-01 23:00' AND day < '2025-03-02'"
    assert _plan(asked, written, NOW).digest == plan.digest


@pytest.mark.parametrize(
    ("condition", "reason", "hint"),
    [
        ("strftime(day, '%Q') = ''", "strftime has '%Q'", "Use %Y"),
        ("age(day) > 3", "age is not on the list", "EXTRACT(year FROM AGE(end, start))"),
        ("word SIMILAR TO 'a'", "SIMILAR TO is not on the list", "regexp_matches(column, '^...$')"),
        ("word ~ 'a'", "~ finds a pattern anywhere in PostgreSQL", "regexp_matches(x, '...')"),
        ("regexp_matches(word, '(?=a)')", "pattern may use letters", "ot look-around"),
        ("regexp_matches(word, '((a{50}){50})')", "must not repeat anything more than 1000 times", ""),
        ("regexp_matches(word, '(a')", "cannot be read", ""),
        ("age = 'eight'", "'eight' is not a number", ""),
        ("word = 5", "cannot be compared with a number", "quotes"),
        ("day = '2025-01-01 10:00'", "must be written as YYYY-MM-DD", ""),
        ("moment > '2025-01-01T10:00:00+02:00'", "without a time zone", ""),
        ("stamp AT TIME ZONE 'UTC' > '2025-01-01'", "AT TIME ZONE", "the zone that the policy names"),
        ("LOWR(word) = 'a'", "LOWR is not on the list", "Did you mean LOWER?"),
        ("moment + INTERVAL '20000 years' > '2025-01-01'", "at most ten thousand years", ""),
    ],
)
def test_refusals_speak_the_questions_words(asked, condition, reason, hint):
    with pytest.raises(Refused) as refused:
        asked[0].explain(f"SELECT COUNT(*) FROM visits WHERE {condition}", epsilon=1)
    assert reason in f"{refused.value.reason} {refused.value.hint}".replace("Pattern", "pattern")
    assert hint in refused.value.hint
    assert refused.value.hint


@pytest.mark.parametrize(
    ("sql", "word", "meant"),
    [
        ("SELEC COUNT(*) FROM visits", "SELEC", "SELECT"),
        ("SELECT COUNT(*) FORM visits", "FORM", "FROM"),
        ("SELECT COUNT(*) FROM visits WHRE age > 3", "WHRE", "WHERE"),
    ],
)
def test_the_misspelt_word_is_underlined(asked, sql, word, meant):
    with pytest.raises(Refused) as refused:
        asked[0].explain(sql, epsilon=1)
    start, end = refused.value.position
    assert sql[start:end] == word
    assert refused.value.hint == f"Did you mean {meant}?"


@pytest.mark.parametrize(
    ("sql", "word"),
    [
        ("SELECT AVG(Alter) AS x FROM visits", "Alter"),
        ("SELECT Alter, COUNT(*) AS n FROM visits GROUP BY Alter", "Alter"),
        ("SELECT COUNT(*) AS n FROM visits WHERE window > 3 AND into = 4", None),
        ("SELECT COUNT(*) AS n FROM visits WHERE into > 3", "into"),
        ("SELECT COUNT(*) FROM visits WHERE", None),
        ("SELECT COUNT(*) FROM visits WHERE age = 1 AND AND 2", None),
    ],
)
def test_a_column_called_like_a_word_of_sql_is_to_be_quoted(asked, sql, word):
    with pytest.raises(Refused) as refused:
        asked[0].explain(sql, epsilon=1)
    assert refused.value.code == "syntax"
    start, end = refused.value.position
    assert (f'double quotes: "{word}".' in refused.value.hint) is (word is not None)
    assert word is None or sql[start:end] == word
