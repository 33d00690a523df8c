"""Random questions that should be accepted, over every kind of relation, in our spelling and in plain DuckDB's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from decimal import Decimal
from random import Random

from tests.support.terms import BOOL, CLOCK, DATE, INT, MOMENT, REAL, TEXT, Term, Terms, column

VISITS = [
    column("age", INT, 0, 110),
    column("serial", INT),
    column("cost", REAL, 0, 500),
    column("score", REAL, -100, 100),
    column("heat", REAL),
    column("town", TEXT),
    column("word", TEXT),
    column("day", DATE),
    column("since", DATE),
    column("moment", MOMENT),
    column("stamp", MOMENT),
    column("clock", CLOCK),
    column("urgent", BOOL),
    column("place", INT, 0, 9),
]
STAYS = [column("nights", INT, 0, 30), column("ward", TEXT), column("dose", REAL, 0, 1)]
PLACES = [column("name", TEXT), column("size", INT, 0, 1000), column("level", INT, 0, 3)]
BILLS = [column("bill", INT), column("amount", REAL, 0, 50), column("kind", TEXT), column("visit", INT)]
PAYMENTS = [column("paid", INT, 0, 20), column("bill", INT)]
SURVEY = [column("mark", INT, 1, 5), column("taste", REAL, -1, 1), column("place", INT, 0, 9)]

KEYS = {
    "visits": [
        "{}town",
        "{}urgent",
        "({}age // 25)",
        "FLOOR({}cost / 100)",
        "EXTRACT(MONTH FROM {}day)",
        "DATE_TRUNC('quarter', {}day)",
        "CASE WHEN {}age < 18 THEN 'child' WHEN {}age < 65 THEN 'adult' END",
        "({}place % 3)",
        "COALESCE({}urgent, FALSE)",
        "SIGN({}score)",
        "EXTRACT(hour FROM {}stamp)",
        "DATE_TRUNC('week', {}moment)",
        "CAST({}moment AS DATE)",
        "strftime({}moment, '%Y-%m')",
        "EXTRACT(dow FROM {}stamp)",
    ],
    "stays": ["{}ward", "({}nights // 7)", "({}nights > 9)"],
    "places": ["{}name", "({}size // 400)"],
    "bills": ["{}kind", "FLOOR({}amount / 10)"],
    "payments": ["({}paid // 5)"],
    "survey": ["{}mark", "({}place // 4)"],
}
"""Keys whose values can be listed, for each table."""
PRIVATE_KEYS = ["nfc_normalize({}word)", "nfc_normalize({}town || {}word)"]
"""Keys that only the data knows, as plain DuckDB must spell them."""


@dataclass(frozen=True)
class Rows:
    """What a question ranges over: behind FROM, whose rows they are, and how many of them one unit may weigh."""

    shape: str
    before: tuple[str, str]
    """WITH, in both spellings."""
    text: tuple[str, str]
    """FROM, in both spellings."""
    unit: str
    """Plain DuckDB's name of the unit of a row."""
    asked_unit: str | None
    """Ours, where it can be counted."""
    weight: Callable[[int], int | None]
    """The contribution, from that of the tables; None where a unit has one row at most."""
    columns: list[Term]
    keys: list[str] = field(default_factory=list)
    hidden: list[str] = field(default_factory=list)
    """Keys that are private."""


@dataclass(frozen=True)
class Aggregate:
    """One aggregate: its kind, its arguments and its FILTER."""

    kind: str
    values: tuple[Term, ...]
    where: Term | None

    def spelled(self, side: str) -> str:
        values = [getattr(value, side) for value in self.values]
        text = _SPELLED[self.kind].format(*values)
        return text if self.where is None else f"{text} FILTER (WHERE {getattr(self.where, side)})"


_SPELLED = {
    "count": "COUNT(*)",
    "present": "COUNT({})",
    "sum": "SUM({})",
    "average": "AVG({})",
    "variance": "VAR_POP({})",
    "sample variance": "VAR_SAMP({})",
    "deviation": "STDDEV_POP({})",
    "covariance": "COVAR_POP({}, {})",
    "correlation": "CORR({}, {})",
    "slope": "REGR_SLOPE({}, {})",
    "intercept": "REGR_INTERCEPT({}, {})",
    "units": "COUNT(DISTINCT {})",
    "distinct": "COUNT(DISTINCT {})",
    "distinct sum": "SUM(DISTINCT {})",
    "median": "MEDIAN({})",
    "quarter": "QUANTILE_DISC({}, 0.25)",
    "least": "MIN({})",
    "most": "MAX({})",
    "mode": "MODE({})",
}
PAIRS = ("covariance", "correlation", "slope", "intercept")


@dataclass(frozen=True)
class Question:
    """A question in both spellings, and taken apart for a reference that adds up rows itself."""

    rows: Rows
    where: Term | None
    keys: tuple[str, ...]
    aggregates: tuple[Aggregate, ...]
    tail: str
    hidden: bool = False

    @property
    def sql(self) -> str:
        """As it is asked."""
        keys = [key.replace("nfc_normalize(", "(") for key in self.keys]
        return self._written(0, keys, [aggregate.spelled("sql") for aggregate in self.aggregates]) + self.tail

    @property
    def plain(self) -> str:
        """As plain DuckDB answers it."""
        return self._written(1, list(self.keys), [each.spelled("plain") for each in self.aggregates]) + self.tail

    @property
    def rows_sql(self) -> str:
        """The rows themselves: the unit, the keys, and for each aggregate its filter and its values."""
        values = [
            part
            for each in self.aggregates
            for part in ("TRUE" if each.where is None else each.where.plain, *(value.plain for value in each.values))
        ]
        where = "" if self.where is None else f" WHERE {self.where.plain}"
        columns = ", ".join([self.rows.unit, *self.keys, *values])
        return f"{self.rows.before[1]}SELECT {columns} FROM {self.rows.text[1]}{where}"

    def _written(self, side: int, keys: list[str], aggregates: list[str]) -> str:
        columns = [f"{key} AS k{place}" for place, key in enumerate(keys)]
        columns += [f"{aggregate} AS a{place}" for place, aggregate in enumerate(aggregates)]
        where = "" if self.where is None else f" WHERE {(self.where.sql, self.where.plain)[side]}"
        grouped = f" GROUP BY {', '.join(str(place + 1) for place in range(len(keys)))}" if keys else ""
        return f"{self.rows.before[side]}SELECT {', '.join(columns)} FROM {self.rows.text[side]}{where}{grouped}"


def question(chance: Random, *, shape: str | None = None, hidden: bool = False) -> Question:
    """A question over rows of this shape, or of any; `hidden`: private keys may be asked for."""
    rows = SHAPES[shape or chance.choice(list(SHAPES))](chance)
    terms = Terms(chance, rows.columns)
    where = terms.condition() if chance.random() < 0.5 else None
    keys = tuple(chance.sample(rows.keys, min(len(rows.keys), chance.choice([0, 0, 1, 1, 2]))))
    private = hidden and bool(rows.hidden) and chance.random() < 0.1
    keys = (chance.choice(rows.hidden),) if private else keys
    kinds = [kind for kind in _SPELLED if kind != "units" or rows.asked_unit is not None]
    if private:
        kinds = ["count", "present", "sum", "average", "variance"]
    aggregates = tuple(
        _aggregate(chance, chance.choice(kinds), terms, rows) for _ in range(chance.choice([1, 1, 2, 3]))
    )
    tail = ""
    if keys and not private and chance.random() < 0.25:
        names = ", ".join(f"k{place}" for place in range(len(keys)))
        tail = f" HAVING COUNT(*) > {chance.randint(0, 3)} ORDER BY {names}"
    return Question(rows, where, keys, aggregates, tail, private)


def _aggregate(chance: Random, kind: str, terms: Terms, rows: Rows) -> Aggregate:  # noqa: PLR0911 - one for each kind
    where = terms.condition() if chance.random() < 0.25 else None
    match kind:
        case "count":
            return Aggregate(kind, (), where)
        case "units":
            return Aggregate(kind, (Term(rows.asked_unit or "", rows.unit, INT),), where)
        case "distinct sum":
            return Aggregate(kind, (terms.within(terms.of(INT, 1)),), where)
        case "present" | "distinct":
            return Aggregate(kind, (terms.of(chance.choice([INT, REAL, DATE, BOOL, MOMENT, CLOCK]), 1),), where)
        case "mode":
            listed = [Term(key, key, TEXT) for key in rows.keys if "DATE_TRUNC" not in key and "FLOOR" not in key]
            if not listed:
                return Aggregate("count", (), where)
            return Aggregate(kind, (chance.choice(listed),), where)
        case _:
            return Aggregate(kind, tuple(terms.number() for _ in range(2 if kind in PAIRS else 1)), where)


def _named(prefix: str, columns: list[Term]) -> list[Term]:
    return [replace(term, sql=prefix + term.sql, plain=prefix + term.plain) for term in columns]


def _keyed(prefix: str, table: str) -> list[str]:
    return [key.replace("{}", prefix) for key in KEYS[table]]


def _hidden(prefix: str) -> list[str]:
    return [key.replace("{}", prefix) for key in PRIVATE_KEYS]


def _one(count: int) -> int:
    return count


def _table(_: Random) -> Rows:
    return Rows(
        "table", ("", ""), ("visits", "visits"), "person", "person", _one, VISITS, _keyed("", "visits"), _hidden("")
    )


def _inside(chance: Random, table: str, columns: list[Term]) -> tuple[str, str]:
    """A subquery that goes row by row."""
    where = Terms(chance, columns).condition()
    return f"(SELECT * FROM {table} WHERE {where.sql})", f"(SELECT * FROM {table} WHERE {where.plain})"


def _subquery(chance: Random) -> Rows:
    sql, plain = _inside(chance, "visits", VISITS)
    if chance.random() < 0.5:
        return replace(_table(chance), shape="subquery", text=(f"{sql} t", f"{plain} t"))
    before = f"WITH v AS {sql}, w AS (SELECT * FROM v) ", f"WITH v AS {plain}, w AS (SELECT * FROM v) "
    return replace(_table(chance), shape="subquery", before=before, text=("w", "w"))


def _beside_public(chance: Random) -> Rows:
    columns, keys = [*_named("v.", VISITS), *_named("p.", PLACES)], [*_keyed("v.", "visits"), *_keyed("p.", "places")]
    join = chance.choice(["JOIN", "LEFT JOIN"])
    extra = chance.choice(["", " AND p.size > 300", " AND v.age < 70"])
    text = f"visits v {join} places p ON v.place = p.place{extra}"
    if join == "JOIN" and chance.random() < 0.3:
        text = f"places p JOIN visits v ON p.place = v.place{extra}"
    return Rows("public join", ("", ""), (text, text), "v.person", "v.person", _one, columns, keys, _hidden("v."))


def _beside_private(chance: Random) -> Rows:
    columns, keys = [*_named("v.", VISITS), *_named("s.", STAYS)], [*_keyed("v.", "visits"), *_keyed("s.", "stays")]
    extra = chance.choice(["", " AND s.nights > 5", " AND v.age > s.nights", " AND s.ward = 'a'"])
    sql = plain = "stays"
    if chance.random() < 0.4:
        sql, plain = _inside(chance, "stays", STAYS)
    pattern = f"visits v {chance.choice(['JOIN', 'LEFT JOIN'])} {{}} s ON v.person = s.person{extra}"
    texts = pattern.format(sql), pattern.format(plain)
    return Rows("private join", ("", ""), texts, "v.person", "v.person", lambda c: c * c, columns, keys)


def _beside_itself(chance: Random) -> Rows:
    columns = [*_named("v.", VISITS), *_named("w.", VISITS)]
    extra = chance.choice(["", " AND v.day < w.day", " AND w.urgent"])
    text = f"visits v JOIN visits w ON w.person = v.person{extra}"
    return Rows(
        "self-join", ("", ""), (text, text), "v.person", "w.person", lambda c: c * c, columns, _keyed("w.", "visits")
    )


def _measures(chance: Random, terms: Terms) -> tuple[list[str], list[str], list[Term]]:
    """Aggregates of a unit's rows, and what they are called outside."""
    whole, real = terms.within(terms.of(INT, 1)), terms.number(1)
    truth = terms.condition(0)
    options = [
        ("COUNT(*)", "COUNT(*)", column("{}", INT, 0)),
        (f"SUM({whole.sql})", f"SUM({whole.plain})", column("{}", INT)),
        (f"MIN({whole.sql})", f"MIN({whole.plain})", column("{}", INT, whole.low, whole.high)),
        (f"MAX({whole.sql})", f"MAX({whole.plain})", column("{}", INT, whole.low, whole.high)),
        (f"AVG({real.sql})", f"AVG({real.plain})", replace(column("{}", REAL), fuzzy=True)),
        (f"SUM({real.sql})", f"SUM({real.plain})", replace(column("{}", REAL), fuzzy=True)),
        (f"COUNT(DISTINCT {whole.sql})", f"COUNT(DISTINCT {whole.plain})", column("{}", INT, 0)),
        (f"BOOL_OR({truth.sql})", f"BOOL_OR({truth.plain})", column("{}", BOOL)),
        (f"COUNT(*) FILTER (WHERE {truth.sql})", f"COUNT(*) FILTER (WHERE {truth.plain})", column("{}", INT, 0)),
    ]
    chosen = [options[0], *chance.sample(options[1:], chance.randint(1, 3))]
    names = [f"m{place}" for place in range(len(chosen))]
    sql = [f"{found[0]} AS {name}" for found, name in zip(chosen, names, strict=True)]
    plain = [f"{found[1]} AS {name}" for found, name in zip(chosen, names, strict=True)]
    return sql, plain, [replace(found[2], sql=name, plain=name) for found, name in zip(chosen, names, strict=True)]


def _per_unit(chance: Random) -> Rows:
    """One row per person: of a table, or of a join."""
    inner = chance.choice([_table, _subquery, _beside_public, _beside_private])(chance)
    terms = Terms(chance, inner.columns)
    sql, plain, columns = _measures(chance, terms)
    where = terms.condition() if chance.random() < 0.4 else None
    having = chance.choice(["", " HAVING COUNT(*) > 1"])
    texts = []
    for side, measures in enumerate((sql, plain)):
        chosen = "" if where is None else f" WHERE {(where.sql, where.plain)[side]}"
        unit = inner.unit
        texts.append(
            f"({inner.before[side]}SELECT {unit} AS p, {', '.join(measures)} FROM {inner.text[side]}{chosen} "
            f"GROUP BY {unit}{having}) t"
        )
    keys = ["LEAST(m0, 4)", "(m0 > 2)"]
    return Rows("per unit", ("", ""), (texts[0], texts[1]), "p", "p", lambda _: None, columns, keys)


def _per_unit_and_key(chance: Random) -> Rows:
    key = chance.choice(["town", "urgent", "place"])
    if chance.random() < 0.4:
        text = f"(SELECT DISTINCT person, {key} FROM visits) t"
        columns = [term for term in VISITS if term.sql == key]
        return Rows("distinct", ("", ""), (text, text), "person", "person", _one, columns, [key])
    sql, plain, columns = _measures(chance, Terms(chance, VISITS))
    texts = [
        f"(SELECT person, {key}, {', '.join(measures)} FROM visits GROUP BY person, {key}) t"
        for measures in (sql, plain)
    ]
    columns = [*columns, *(term for term in VISITS if term.sql == key)]
    return Rows(
        "per unit and key", ("", ""), (texts[0], texts[1]), "person", "person", _one, columns, [key, "LEAST(m0, 3)"]
    )


def _beside_per_unit(chance: Random) -> Rows:
    inner = _per_unit(chance)
    texts = [f"stays s JOIN {text} ON t.p = s.person" for text in inner.text]
    columns = [*_named("s.", STAYS), *_named("t.", inner.columns)]
    return Rows(
        "beside per unit", ("", ""), (texts[0], texts[1]), "s.person", "t.p", _one, columns, _keyed("s.", "stays")
    )


def _stacked(chance: Random) -> Rows:
    terms, others = Terms(chance, VISITS), Terms(chance, STAYS)
    one, two = terms.within(terms.of(INT, 1)), others.within(others.of(INT, 1))
    truths = terms.condition(), others.condition()
    parts = [
        f"(SELECT person, {getattr(one, side)} AS x, {getattr(truths[0], side)} AS b FROM visits "
        f"UNION ALL SELECT person, {getattr(two, side)}, {getattr(truths[1], side)} FROM stays) t"
        for side in ("sql", "plain")
    ]
    columns = [column("x", INT, min(one.low, two.low), max(one.high, two.high)), column("b", BOOL)]
    return Rows(
        "stacked", ("", ""), (parts[0], parts[1]), "person", "person", lambda c: 2 * c, columns, ["b", "(x > 3)"]
    )


def _members(chance: Random) -> Rows:
    inner, word = Terms(chance, STAYS).condition(), chance.choice(["IN", "NOT IN"])
    among = chance.choice(
        ["place IN (SELECT place FROM places WHERE size > 200)", "place NOT IN (SELECT place FROM places)"]
    )
    sides = [
        f"(SELECT * FROM visits WHERE {among} AND person {word} "
        f"(SELECT person FROM stays WHERE {getattr(inner, side)})) t"
        for side in ("sql", "plain")
    ]
    return replace(_table(chance), shape="members", text=(sides[0], sides[1]))


def _alike(chance: Random) -> tuple[Term, Term]:
    """An expression of a private row, and the same expression, or another one, of public rows."""
    terms = Terms(chance, [column("{level}", INT, 0, 3)])
    found = terms.of(chance.choice([REAL, REAL, INT]), 3)
    other = terms.of(found.kind, 1)
    pattern = "CASE WHEN level < 2 THEN {0} WHEN level = 2 THEN {1} ELSE {0} END"
    chosen = [pattern.format(found_, other_) for found_, other_ in ((found.sql, other.sql), (found.plain, other.plain))]
    wanted = (text.replace("{level}", "place") for text in (found.sql, found.plain))
    return Term(*wanted, found.kind), Term(*(text.replace("{level}", "level") for text in chosen), found.kind)


def _one_in_fractions(chance: Random) -> tuple[Term, Term]:
    """Three numbers that are one in exact arithmetic and seldom so in doubles: products and sums in another order."""
    one, two = (Decimal(chance.choice(["0.1", "0.2", "0.3", "0.6", "0.7", "1.1"])) for _ in range(2))
    forms = [
        (f"{{0}} * {one}e0 * {two}e0", one * two),
        (f"{{0}} * ({one}e0 * {two}e0)", one * two),
        (f"{one}e0 * ({{0}} * {two}e0)", one * two),
        (f"{{0}} * {one}e0 + {{0}} * {two}e0", one + two),
        (f"{{0}} * ({one}e0 + {two}e0)", one + two),
    ]
    share = chance.choice([one * two, one + two])
    texts = [form for form, worth in forms if worth == share]
    wanted = (
        f"(place * 0 + {3 * share}e0)" if chance.random() < 0.5 else f"({chance.choice(texts).format('3')} + place * 0)"
    )
    ways = [text.format("level") for text in (chance.choice(texts), chance.choice(texts))]
    chosen = f"CASE WHEN place < 4 THEN {ways[0]} WHEN place < 10 THEN {ways[1]} ELSE {3 * share}e0 END"
    return Term(wanted, wanted, REAL), Term(chosen, chosen, REAL)


def _among_computed(chance: Random) -> Rows:
    """A computed value in a set that is computed alike, so that doubles beyond all concluded bounds are found in it.

    Where a unit has one row, nothing is weighed: the set alone keeps rows from becoming more.
    """
    value, chosen = _one_in_fractions(chance) if chance.random() < 0.5 else _alike(chance)
    texts = [
        f"WHERE {getattr(value, side)} IN (SELECT {getattr(chosen, side)} FROM places)" for side in ("sql", "plain")
    ]
    if chance.random() < 0.5:
        inside = [f"(SELECT * FROM survey {text}) t" for text in texts]
        keys = _keyed("", "survey")
        return Rows("computed set", ("", ""), (inside[0], inside[1]), "line", None, lambda _: None, list(SURVEY), keys)
    once = "(SELECT person, MAX(place) AS place, COUNT(*) AS m FROM visits GROUP BY person) u"
    inside = [f"(SELECT * FROM {once} {text}) t" for text in texts]
    columns = [column("place", INT, 0, 9), column("m", INT, 0)]
    keys = ["(place // 4)", "LEAST(m, 4)"]
    return Rows("computed set", ("", ""), (inside[0], inside[1]), "person", "person", lambda _: None, columns, keys)


def _survey(chance: Random) -> Rows:
    if chance.random() < 0.4:
        return Rows(
            "survey", ("", ""), ("survey", "survey"), "line", None, lambda _: None, SURVEY, _keyed("", "survey")
        )
    columns, keys = [*_named("s.", SURVEY), *_named("p.", PLACES)], [*_keyed("s.", "survey"), *_keyed("p.", "places")]
    text = f"survey s {chance.choice(['JOIN', 'LEFT JOIN'])} places p ON s.place = p.place"
    return Rows("survey beside", ("", ""), (text, text), "s.line", None, lambda _: 1, columns, keys)


def _commas(chance: Random) -> Rows:
    """Tables in any order, tied together in WHERE, in brackets or behind CROSS."""
    truth = Terms(chance, [*_named("v.", VISITS), *_named("s.", STAYS)]).condition()
    tables = chance.sample(["visits v", "stays s", "places p"], 3)
    texts = []
    for condition in (truth.sql, truth.plain):
        where = f"p.place = v.place AND v.person = s.person AND {condition}"
        texts.append(f"(SELECT v.*, nights, ward, dose, p.name, size, level FROM {{}} WHERE {where}) t")
    pattern = chance.choice(["{0}, {1}, {2}", "{0} CROSS JOIN {1} CROSS JOIN {2}", "({0}), ({1} CROSS JOIN {2})"])
    text = tuple(each.format(pattern.format(*tables)) for each in texts)
    keys = [*_keyed("", "visits"), *_keyed("", "stays"), *_keyed("", "places")]
    columns = [*VISITS, *STAYS, *PLACES]
    return Rows("commas", ("", ""), (text[0], text[1]), "person", "person", lambda c: c * c, columns, keys)


def _right(chance: Random) -> Rows:
    columns, keys = [*_named("v.", VISITS), *_named("s.", STAYS)], [*_keyed("v.", "visits"), *_keyed("s.", "stays")]
    extra = chance.choice(["", " AND s.nights > 5", " AND v.age > s.nights", " AND v.urgent"])
    text = f"visits v RIGHT JOIN stays s ON v.person = s.person{extra}"
    if not extra and chance.random() < 0.5:
        text = "visits v RIGHT JOIN stays s USING (person)"
    if chance.random() < 0.3:
        columns = [*_named("v.", VISITS), *_named("p.", PLACES)]
        keys = [*_keyed("v.", "visits"), *_keyed("p.", "places")]
        text = "places p RIGHT JOIN visits v ON p.place = v.place AND p.size > 300"
        return Rows("right", ("", ""), (text, text), "v.person", "v.person", _one, columns, keys)
    return Rows("right", ("", ""), (text, text), "s.person", "s.person", lambda c: c * c, columns, keys)


def _full(chance: Random) -> Rows:
    columns, keys = [*_named("v.", VISITS), *_named("s.", STAYS)], [*_keyed("v.", "visits"), *_keyed("s.", "stays")]
    extra = chance.choice([" AND s.nights > 5", " AND v.age > s.nights", " AND v.urgent"])
    text = f"visits v FULL JOIN stays s ON v.person = s.person{extra}"
    unit, asked = "COALESCE(v.person, s.person)", None
    if chance.random() < 0.5:
        text, unit, asked = "visits v FULL OUTER JOIN stays s USING (person)", "person", "person"
    weight = lambda c: max(c * c, 2 * c)  # noqa: E731 - pairs, or each alone
    return Rows("full", ("", ""), (text, text), unit, asked, weight, columns, keys)


_COMPARED = [
    " AND s.nights < v.age",
    " AND v.place >= s.nights",
    " AND s.ward <> v.town",
    " AND v.score > s.dose AND s.nights = v.place",
]
"""What stands inside is more or less than what stands outside, or something else."""


def _exists(chance: Random) -> Rows:
    inner = Terms(chance, _named("s.", STAYS)).condition()
    more = chance.choice(["", " AND s.nights = v.place", " AND v.age % 7 = s.nights", " AND v.urgent", *_COMPARED])
    found = chance.choice(["EXISTS", "NOT EXISTS"])
    public = chance.choice(["", " AND EXISTS (SELECT * FROM places p WHERE p.place = v.place AND p.size > 200)"])
    sides = [
        f"(SELECT * FROM visits v WHERE {found} "
        f"(SELECT 1 FROM stays s WHERE s.person = v.person{more} AND {getattr(inner, side)}){public}) t"
        for side in ("sql", "plain")
    ]
    return replace(_table(chance), shape="exists", text=(sides[0], sides[1]))


def _keyed_rows(chance: Random) -> Rows:
    """Rows that do not name their person: alone, or beside public ones."""
    if chance.random() < 0.4:
        return Rows(
            "payments", ("", ""), ("payments", "payments"), "person", None, _one, PAYMENTS, _keyed("", "payments")
        )
    return Rows("bills", ("", ""), ("bills", "bills"), "person", None, _one, BILLS, _keyed("", "bills"))


def _along_keys(chance: Random) -> Rows:
    """Joins that are written without the person; plain DuckDB must be told that no two people's rows meet."""
    word = chance.choice(["JOIN", "LEFT JOIN", "RIGHT JOIN"])
    if chance.random() < 0.5:
        columns, keys = [*_named("b.", BILLS), *_named("v.", VISITS)], [*_keyed("b.", "bills"), *_keyed("v.", "visits")]
        texts = f"bills b {word} visits v ON b.visit = v.serial", " AND b.person = v.person"
    else:
        columns = [*_named("b.", PAYMENTS), *_named("v.", BILLS)]
        keys = [*_keyed("b.", "payments"), *_keyed("v.", "bills")]
        texts = f"payments b {word} bills v ON b.bill = v.bill", " AND b.person = v.person"
    unit = "v.person" if word == "RIGHT JOIN" else "b.person"
    weight = (lambda c: 2 * c) if word == "RIGHT JOIN" else _one
    return Rows("along keys", ("", ""), (texts[0], "".join(texts)), unit, None, weight, columns, keys)


def _per_key(chance: Random) -> Rows:
    """One row per person and key, of which only the key is written; or the key among others."""
    sql, plain, columns = _measures(chance, Terms(chance, BILLS))
    if chance.random() < 0.5:
        texts = (
            f"(SELECT visit, {', '.join(sql)} FROM bills GROUP BY visit) t",
            f"(SELECT person, visit, {', '.join(plain)} FROM bills GROUP BY person, visit) t",
        )
        return Rows("per key", ("", ""), texts, "person", None, _one, columns, ["LEAST(m0, 3)"])
    inner, word = Terms(chance, BILLS).condition(), chance.choice(["", "NOT "])
    texts = (
        f"(SELECT * FROM visits v WHERE {word}EXISTS (SELECT * FROM bills b WHERE visit = serial AND {inner.sql})) t",
        (
            f"(SELECT * FROM visits v WHERE {word}EXISTS (SELECT * FROM bills b WHERE visit = serial "
            f"AND b.person = v.person AND {inner.plain})) t"
        ),
    )
    if not word and chance.random() < 0.5:
        texts = (f"(SELECT * FROM visits WHERE serial IN (SELECT visit FROM bills WHERE {inner.sql})) t", texts[1])
    return replace(_table(chance), shape="per key", text=texts)


def _scalar(chance: Random) -> Rows:
    """A subquery for one value: of public rows, all or those that belong to a row; of a person's own rows."""
    inner = Terms(chance, _named("s.", STAYS)).condition()
    value, against = chance.choice(
        [
            ("SELECT MAX(p.size) FROM places p", "v.age * 5"),
            ("SELECT MAX(p.size) FROM places p WHERE p.place = v.place", "300"),
            ("SELECT COUNT(*) FROM places p WHERE p.place = v.place AND p.level > 0", "0"),
            ("SELECT DISTINCT p.place FROM places p WHERE p.place = 3", "v.age"),
            ("SELECT COUNT(*) FROM stays s WHERE s.person = v.person AND {}", str(chance.randint(0, 2))),
            ("SELECT COALESCE(SUM(s.nights), 7) FROM stays s WHERE s.person = v.person AND {}", "v.place"),
            ("SELECT MIN(w.age) + COUNT(w.town) FROM visits w WHERE w.person = v.person", "v.age"),
        ]
    )
    sides = [
        f"(SELECT * FROM visits v WHERE ({value.format(getattr(inner, side))}) > {against}) t"
        for side in ("sql", "plain")
    ]
    return replace(_table(chance), shape="scalar", text=(sides[0], sides[1]))


def _sets(chance: Random) -> Rows:
    """People in one table and, or not, in another; and each of their different rows once."""
    one, two = Terms(chance, VISITS).condition(), Terms(chance, STAYS).condition()
    if chance.random() < 0.3:
        parts = [
            f"(SELECT person, urgent AS b FROM visits WHERE {getattr(one, side)} "
            f"UNION SELECT person, nights > 9 FROM stays WHERE {getattr(two, side)}) t"
            for side in ("sql", "plain")
        ]
        weight = lambda c: 2 * c  # noqa: E731 - as if they were stacked
        return Rows("sets", ("", ""), (parts[0], parts[1]), "person", "person", weight, [column("b", BOOL)], ["b"])
    word = chance.choice(["INTERSECT", "EXCEPT", "UNION"])
    parts = [
        f"visits v JOIN (SELECT person FROM visits WHERE {getattr(one, side)} "
        f"{word} SELECT person FROM stays WHERE {getattr(two, side)}) t ON t.person = v.person"
        for side in ("sql", "plain")
    ]
    return Rows(
        "sets",
        ("", ""),
        (parts[0], parts[1]),
        "v.person",
        "v.person",
        _one,
        _named("v.", VISITS),
        _keyed("v.", "visits"),
    )


def _beside_a_range(chance: Random) -> Rows:
    """Public rows that are compared with, and not equal to, a row."""
    columns, keys = [*_named("v.", VISITS), *_named("p.", PLACES)], [*_keyed("v.", "visits"), *_keyed("p.", "places")]
    on = chance.choice(
        ["v.place >= p.place", "p.size > v.age * 4 AND p.level < 2", "v.place BETWEEN p.level AND p.place"]
    )
    text = f"visits v JOIN places p ON {on}"
    return Rows("range join", ("", ""), (text, text), "v.person", "v.person", _one, columns, keys, _hidden("v."))


SHAPES: dict[str, Callable[[Random], Rows]] = {
    "table": _table,
    "subquery": _subquery,
    "public join": _beside_public,
    "private join": _beside_private,
    "self-join": _beside_itself,
    "per unit": _per_unit,
    "per unit and key": _per_unit_and_key,
    "beside per unit": _beside_per_unit,
    "stacked": _stacked,
    "members": _members,
    "computed set": _among_computed,
    "survey": _survey,
    "commas": _commas,
    "right": _right,
    "full": _full,
    "exists": _exists,
    "keyed rows": _keyed_rows,
    "along keys": _along_keys,
    "per key": _per_key,
    "scalar": _scalar,
    "sets": _sets,
    "range join": _beside_a_range,
}
