"""The one way of a table: read, group once, search, recode, check."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from deniable.core.errors import InvalidArgumentError
from deniable.core.number import Number, whole
from deniable.releases.syntactic.hierarchies.kinds import FlatHierarchy, Hierarchy
from deniable.releases.syntactic.models.check import checked
from deniable.releases.syntactic.models.demands import Demands, SensitiveColumns, demanded
from deniable.releases.syntactic.models.diversity import PrivacyModel
from deniable.releases.syntactic.report.anonymized_table import AnonymizedTable
from deniable.releases.syntactic.search.cells import CellCounts, cells
from deniable.releases.syntactic.search.lattice import Lattice
from deniable.releases.syntactic.search.local import local
from deniable.releases.syntactic.search.losses import loss_of
from deniable.releases.syntactic.search.mondrian import mondrian
from deniable.releases.syntactic.search.nearest import infeasible
from deniable.releases.syntactic.search.optimum import OptimalNode, Progress, judge, optimum
from deniable.releases.syntactic.search.recoding import Recoding, full_domain, published
from deniable.releases.syntactic.source import names_of, read

METHODS = ("optimal", "mondrian", "local")


def anonymize(
    frame: Any,  # noqa: ANN401 - pandas, Polars, Arrow, DuckDB or a file
    *,
    quasi_identifiers: Mapping[str, Hierarchy | None],
    sensitive: SensitiveColumns = (),
    k: int | None = None,
    l: int | PrivacyModel | None = None,
    t: Number | PrivacyModel | None = None,
    suppression: Number = 0,
    method: str = "optimal",
    loss: str = "ncp",
    keep: Sequence[str] = (),
    population: int | None = None,
    progress: Progress | None = None,
) -> AnonymizedTable:
    """A table in which everyone hides in a class of others.

    Input:      a table, a hierarchy for each column that others may know, and the columns that they must not learn.
    Guarantee:  every class of the result has k rows, and sensitive values as diverse (l) and as close to the whole
                table (t) as asked; at most the share `suppression` of the rows is in no class and has '*' in every
                quasi-identifier. Checked in SQL on the result itself before it is returned.
    Not promised: differential privacy. Whoever knows more than the quasi-identifiers, or another release of the same
                people, can learn more: `result.report` measures how much.
    Error:      'optimal' has the least `loss` of all full-domain releases; 'local' has no more NCP than that;
                'mondrian' is a heuristic, and is usually lowest in NCP.
    Cost:       one pass over the table, then work on its distinct combinations of values.
    Reference:  Samarati, Sweeney 1998; Machanavajjhala et al. 2007; Li, Li, Venkatasubramanian 2007.

    Columns that are neither quasi-identifiers nor sensitive are left out, unless `keep` names them: then they are
    published as they are. `population` is the number of people that the rows were sampled from; it is for risks only.

    Example:
        >>> import pyarrow as pa
        >>> from deniable.releases import hierarchy
        >>> table = pa.table({"age": [21, 24, 35, 38], "condition": ["flu", "cold", "flu", "cold"]})
        >>> ages = {"age": hierarchy.interval(10)}
        >>> result = anonymize(table, quasi_identifiers=ages, sensitive="condition", k=2, l=2)
        >>> result.table["age"].to_pylist()
        ['20-29', '20-29', '30-39', '30-39']

    Raises:
        Infeasible: nothing meets the models within the limit; it names the nearest settings that do.
    """
    demands = demanded(k, l, t, sensitive, suppression)
    _check_names(quasi_identifiers, demands, keep)
    if method not in METHODS:
        raise InvalidArgumentError("method", f"must be one of {', '.join(METHODS)}, not {method!r}")
    capped = [name for name, given in quasi_identifiers.items() if given is not None and given.most is not None]
    if method == "mondrian" and capped:
        raise InvalidArgumentError("method", f"'mondrian' knows no levels, but {capped[0]!r} has a coarsest one")
    names = [*quasi_identifiers, *demands.sensitive]
    table = read(frame, [*names, *keep])
    hierarchies = {name: given or FlatHierarchy() for name, given in quasi_identifiers.items()}
    grouped = cells(table, hierarchies, demands.sensitive, follow_rows=bool(keep))
    if population is not None and whole("population", population) < grouped.total:
        raise InvalidArgumentError("population", f"has fewer people than the table's {grouped.total} rows")
    others = table.select(list(keep)) if keep else None
    del table
    recoding, best = _recoded(grouped, demands, method, loss, progress)
    released = published(grouped, recoding, others)
    verdict = checked(released.select(names), list(quasi_identifiers), demands)
    if not verdict.holds:
        raise AssertionError(f"the release does not meet its models; please report this:\n{verdict}")
    dropped = tuple(name for name in names_of(frame) if name not in {*names, *keep})
    return AnonymizedTable(
        released, demands, method, loss, hierarchies, grouped, recoding, best, verdict, tuple(keep), dropped, population
    )


def _recoded(
    grouped: CellCounts, demands: Demands, method: str, loss: str, progress: Progress | None
) -> tuple[Recoding, OptimalNode | None]:
    """By the method; refused, if nothing fits."""
    models = demands.bound(grouped)
    if method == "mondrian":
        boxes = mondrian(grouped, models, demands.k)
        if boxes is None:
            raise infeasible(Lattice(grouped), demands, suppresses=False)
        return boxes, None
    lattice = Lattice(grouped)
    best = optimum(lattice, models, loss_of(loss, grouped), demands.limit(grouped.total), progress=progress)
    if best is None:
        raise infeasible(lattice, demands)
    kept = judge(lattice, best.node, models).kept
    return (local if method == "local" else _plain)(grouped, best.node, kept, models), best


def _plain(grouped: CellCounts, node: tuple[int, ...], kept: Any, models: Sequence[Any]) -> Recoding:  # noqa: ANN401
    del models
    return full_domain(grouped, node, kept)


def _check_names(quasi_identifiers: Mapping[str, Hierarchy | None], demands: Demands, keep: Sequence[str]) -> None:
    """Every column has one role."""
    if not quasi_identifiers:
        raise InvalidArgumentError("quasi_identifiers", "are missing: name the columns that others may know")
    for name, given in quasi_identifiers.items():
        if given is not None and not isinstance(given, Hierarchy):
            raise InvalidArgumentError("quasi_identifiers", f"must map {name!r} to a hierarchy, not {given!r}")
    roles = [*quasi_identifiers, *demands.sensitive, *keep]
    for name in roles:
        if roles.count(name) > 1:
            raise InvalidArgumentError("frame", f"column {name!r} is named in two roles; give it one")
