"""Whether a published table meets its models. Shares nothing with the search: one GROUP BY and textbook formulas.

Common to both is only what was asked: the demands, and the orders and trees that they name.

Distances are computed another way than in the search: equal ones from absolute differences, hierarchical ones by moving
surplus up the tree (Li, Li, Venkatasubramanian 2007, section 4.3), ordered ones by a running sum over all values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.compute as pc

from deniable.core.errors import InvalidArgumentError
from deniable.core.number import Number
from deniable.core.shown import printable
from deniable.releases.syntactic.hierarchies.values import STAR
from deniable.releases.syntactic.models.closeness import Equal, Hierarchical, Ordered
from deniable.releases.syntactic.models.demands import Demands, SensitiveColumns, demanded
from deniable.releases.syntactic.models.diversity import Distinct, Entropy, PrivacyModel, Recursive
from deniable.releases.syntactic.search.cells import Sensitive
from deniable.releases.syntactic.source import read

_SLACK = 1e-9


@dataclass(frozen=True, slots=True)
class Finding:
    """One model: what was asked, what was found in the worst class, and how many classes fail."""

    model: str
    reached: float
    failing: int

    @property
    def holds(self) -> bool:
        """Whether every class meets the model."""
        return self.failing == 0


@dataclass(frozen=True, slots=True)
class Checked:
    """What a table is, whatever was promised of it."""

    rows: int
    suppressed: int
    """Rows whose quasi-identifiers are all '*', if they are few enough to be left out of the models."""
    classes: int
    findings: tuple[Finding, ...]

    @property
    def holds(self) -> bool:
        """Whether every model is met by every class."""
        return all(finding.holds for finding in self.findings)

    def __bool__(self) -> bool:
        """As `if check(...)` reads."""
        return self.holds

    def __str__(self) -> str:
        """A line for each model."""
        lines = [f"{self.rows} rows, {self.suppressed} suppressed, {self.classes} classes"]
        for finding in self.findings:
            verdict = "holds" if finding.holds else f"FAILS in {finding.failing} classes"
            lines.append(f"{printable(finding.model)}: {verdict}, the worst class has {finding.reached:g}")
        return "\n".join(lines)


def check(
    table: Any,  # noqa: ANN401 - pandas, Polars, Arrow, DuckDB or a file
    *,
    quasi_identifiers: Sequence[str] | Mapping[str, Any],
    sensitive: SensitiveColumns = (),
    k: int | None = None,
    l: int | PrivacyModel | None = None,
    t: Number | PrivacyModel | None = None,
    suppression: Number = 0,
) -> Checked:
    """Whether a table meets k, l, t. Rows that are all '*' are exempt while their share is at most `suppression`.

    Example:
        >>> table = pa.table({"zip": ["130**"] * 3 + ["148**"] * 2, "condition": ["flu", "flu", "cold", "flu", "cold"]})
        >>> print(check(table, quasi_identifiers=["zip"], sensitive="condition", k=3, l=2))
        5 rows, 0 suppressed, 2 classes
        3-anonymity: FAILS in 1 classes, the worst class has 2
        distinct 2-diversity of condition: holds, the worst class has 2
    """
    demands = demanded(k, l, t, sensitive, suppression)
    names = list(quasi_identifiers)
    if not names:
        raise InvalidArgumentError("quasi_identifiers", "are missing: name the columns that others may know")
    return checked(read(table, list(dict.fromkeys([*names, *demands.sensitive]))), names, demands)


def checked(table: pa.Table, names: Sequence[str], demands: Demands) -> Checked:
    """`check` for demands that were read already."""
    if not table.num_rows:
        raise InvalidArgumentError("table", "has no rows")
    with duckdb.connect() as connection:
        return _Inquiry(connection, table, names, demands).result()


class _Inquiry:
    """One table in DuckDB, grouped once; then a query for each model."""

    def __init__(
        self, connection: duckdb.DuckDBPyConnection, table: pa.Table, names: Sequence[str], demands: Demands
    ) -> None:
        self._sql, self._table, self._demands = connection, table, demands
        columns = {f"q{place}": table[name] for place, name in enumerate(names)}
        columns |= {f"s{place}": table[name] for place, name in enumerate(demands.sensitive)}
        coded = {name: _coded(column) for name, column in columns.items()}
        self._values = {name: values for name, (_, values) in coded.items()}
        stars = " AND ".join(f"q{place} {_star(coded[f'q{place}'][1])}" for place in range(len(names)))
        keys, secrets = ([name for name in columns if name[0] == kind] for kind in "qs")
        cells = ", ".join([*(f"{name}: {name}" for name in secrets), "n: n"])
        connection.register("published", pa.table({name: codes for name, (codes, _) in coded.items()}))
        connection.execute(
            f"""CREATE TEMP TABLE classes AS
            WITH cells AS (SELECT {", ".join(columns)}, count(*) AS n FROM published GROUP BY ALL)
            SELECT row_number() OVER () AS id, sum(n)::BIGINT AS size, list({{{cells}}}) AS cells,
                bool_and(coalesce({stars}, false)) AS star
            FROM cells GROUP BY {", ".join(keys)}"""
        )
        few = demands.limit(table.num_rows)
        connection.execute(f"CREATE TEMP VIEW judged AS SELECT * FROM classes WHERE NOT (star AND size <= {few})")

    def result(self) -> Checked:
        """Every model in turn."""
        classes, kept, least, failing = self._one(
            f"""SELECT count(*), coalesce(sum(size), 0), coalesce(min(size), 0),
                count(*) FILTER (size < {self._demands.k}) FROM judged"""
        )
        findings = [Finding(f"{self._demands.k}-anonymity", least, failing)]
        for name, model in self._demands.models:
            secret = f"s{self._demands.sensitive.index(name)}"
            self._sql.execute(
                f"""CREATE OR REPLACE TEMP TABLE pairs AS
                WITH cells AS (SELECT id, size, unnest(cells) AS cell FROM judged)
                SELECT id, size, cell.{secret} AS secret, sum(cell.n)::BIGINT AS n FROM cells GROUP BY ALL;
                CREATE OR REPLACE TEMP TABLE overall AS
                SELECT {secret} AS secret, count(*) / {self._table.num_rows} AS p FROM published GROUP BY ALL"""
            )
            worst, failing = self._one(self._question(model, secret, name))
            findings.append(Finding(f"{model} of {name}", float(worst if worst is not None else 0), failing))
        return Checked(self._table.num_rows, self._table.num_rows - int(kept), classes, tuple(findings))

    def _question(self, model: PrivacyModel, secret: str, name: str) -> str:
        """The worst class, and the number of those that fail."""
        if isinstance(model, Distinct):
            return f"SELECT min(x), count(*) FILTER (x < {model.l}) FROM (SELECT count(*) AS x FROM pairs GROUP BY id)"
        if isinstance(model, Entropy):
            entropy = "SELECT -sum(n / size * ln(n / size)) AS x FROM pairs GROUP BY id"
            return f"SELECT exp(min(x)), count(*) FILTER (x < ln({model.l}) - {_SLACK}) FROM ({entropy})"
        if isinstance(model, Recursive):
            counts = "SELECT list(n ORDER BY n DESC) AS r FROM pairs GROUP BY id"
            parts = f"SELECT r[1] AS most, coalesce(list_sum(r[{model.l}:]), 0)::BIGINT AS rest FROM ({counts})"
            fails = f"most * {model.c.denominator} >= rest * {model.c.numerator}"
            return f"SELECT max(most / nullif(rest, 0)), count(*) FILTER ({fails}) FROM ({parts})"
        distances, t = self._distances(model, secret, name)
        return f"SELECT max(x), count(*) FILTER (x > {t} + {_SLACK}) FROM ({distances})"

    def _distances(self, model: PrivacyModel, secret: str, name: str) -> tuple[str, float]:
        """The earth mover's distance of each class, as x."""
        if isinstance(model, Equal):
            return _EQUAL, float(model.t)
        column = self._table[name]
        values = self._values[secret]
        known = values if values is not None else pc.unique(column.combine_chunks())
        keys = list(range(len(known))) if values is not None else known.to_pylist()
        if column.null_count and values is not None:
            known, keys = pa.concat_arrays([known, pa.nulls(1, known.type)]), [*keys, None]
        sensitive = Sensitive(name, known if isinstance(known, pa.Array) else known.combine_chunks(), pa.array([]))
        if isinstance(model, Ordered):
            self._sql.register("places", pa.table({"secret": pa.array(keys), "place": model.ranks(sensitive)}))
            return _ORDERED, float(model.t)
        if isinstance(model, Hierarchical):
            levels = [*model.levels(sensitive), [0] * len(keys)]
            columns = {f"g{place}": pa.array(level) for place, level in enumerate(levels)}
            self._sql.register("places", pa.table({"secret": pa.array(keys)} | columns))
            return _hierarchical(len(levels) - 1), float(model.t)
        raise InvalidArgumentError("sensitive", f"has a model that cannot be checked: {model}")

    def _one(self, question: str) -> tuple[Any, ...]:
        row = self._sql.execute(question).fetchone()
        return row if row is not None else ()


_EQUAL = """
    SELECT (sum(abs(n / size - p)) + 1 - sum(p)) / 2 AS x
    FROM pairs JOIN overall ON pairs.secret IS NOT DISTINCT FROM overall.secret GROUP BY id"""

_GRID = """
    SELECT judged.id, places.* EXCLUDE secret, coalesce(n, 0) / judged.size - p AS extra
    FROM judged CROSS JOIN overall JOIN places ON places.secret IS NOT DISTINCT FROM overall.secret
    LEFT JOIN pairs ON pairs.id = judged.id AND pairs.secret IS NOT DISTINCT FROM overall.secret"""

_ORDERED = f"""
    SELECT sum(abs(running)) / greatest(1, count(*) - 1) AS x FROM (
        SELECT id, sum(extra) OVER (PARTITION BY id ORDER BY place) AS running FROM ({_GRID})
    ) GROUP BY id"""


def _hierarchical(height: int) -> str:
    """What a node has too much of goes up; the lesser of surplus and want below a node is settled at its height."""
    steps = []
    for level in range(1, height + 1):
        children = f"SELECT id, g{level}, sum(extra) AS e FROM ({_GRID}) GROUP BY id, g{level}, g{level - 1}"
        settled = "least(coalesce(sum(e) FILTER (e > 0), 0), coalesce(-sum(e) FILTER (e < 0), 0))"
        steps.append(f"SELECT id, {level / height} * {settled} AS cost FROM ({children}) GROUP BY id, g{level}")
    return f"SELECT sum(cost) AS x FROM ({' UNION ALL '.join(steps)}) GROUP BY id"


def _coded(column: pa.ChunkedArray) -> tuple[pa.Array | pa.ChunkedArray, pa.Array | None]:
    """Dictionary-encoded texts as the numbers that stand for them, and the texts; other columns as they are."""
    if pa.types.is_dictionary(column.type):
        whole = column.unify_dictionaries().combine_chunks()
        encoded = whole if isinstance(whole, pa.DictionaryArray) else whole.chunk(0)
        if len(encoded.dictionary.unique()) == len(encoded.dictionary) and not encoded.dictionary.null_count:
            return encoded.indices, encoded.dictionary
        return encoded.dictionary_decode(), None
    if pa.types.is_floating(column.type):
        return pc.if_else(pc.is_nan(column), pa.scalar(None, column.type), column), None
    return column, None


def _star(values: pa.Array | None) -> str:
    """Whether a value is '*'."""
    if values is None:
        return f"::VARCHAR = '{STAR}'"
    texts = pa.types.is_string(values.type) or pa.types.is_large_string(values.type)
    return f"= {values.index(pa.scalar(STAR, values.type)).as_py() if texts else -1}"
