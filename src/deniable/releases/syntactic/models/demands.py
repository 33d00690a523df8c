"""What is asked of a release: k, l, t, and how many rows may be suppressed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from deniable.core.errors import InvalidArgumentError
from deniable.core.number import Number, exact, whole
from deniable.releases.syntactic.models.closeness import Equal
from deniable.releases.syntactic.models.diversity import Distinct, FittedModel, PrivacyModel, Size
from deniable.releases.syntactic.search.cells import CellCounts

SensitiveColumns = str | Sequence[str] | Mapping[str, PrivacyModel | Iterable[PrivacyModel]]


@dataclass(frozen=True, slots=True)
class Demands:
    """Checked, and the same for the search, the check and the report."""

    k: int
    models: tuple[tuple[str, PrivacyModel], ...]
    """Sensitive columns, each with a model that its values must meet."""
    sensitive: tuple[str, ...]
    suppression: Fraction

    def bound(self, cells: CellCounts) -> list[FittedModel]:
        """The models, ready to judge; cheap ones first."""
        if self.k > cells.total:
            raise InvalidArgumentError("k", f"is {self.k}, but the table has only {cells.total} rows")
        places = {sensitive.name: place for place, sensitive in enumerate(cells.sensitive)}
        bound: list[FittedModel] = [Size(self.k)] if self.k > 1 else []
        return bound + [model.bound(places[name], cells.sensitive[places[name]]) for name, model in self.models]

    def limit(self, rows: int) -> int:
        """How many rows may be suppressed."""
        return int(self.suppression * rows)

    def words(self) -> list[str]:
        """Each demand as it is spoken."""
        return [f"{self.k}-anonymity", *(f"{model} of {name}" for name, model in self.models)]


def demanded(
    k: int | None,
    l: int | PrivacyModel | None,
    t: Number | PrivacyModel | None,
    sensitive: SensitiveColumns,
    suppression: Number = 0,
) -> Demands:
    """What the arguments say. `l` and `t` hold for every sensitive column, the models of a dictionary for theirs."""
    own: Mapping[str, PrivacyModel | Iterable[PrivacyModel]]
    if isinstance(sensitive, Mapping):
        own = sensitive
    else:
        own = dict.fromkeys([sensitive] if isinstance(sensitive, str) else sensitive, ())
    shared: list[PrivacyModel] = []
    if l is not None:
        shared.append(l if isinstance(l, PrivacyModel) else Distinct(l))
    if t is not None:
        shared.append(t if isinstance(t, PrivacyModel) else Equal(t))
    if shared and not own:
        raise InvalidArgumentError("l" if l is not None else "t", "needs a sensitive column: sensitive=['condition']")
    models = [(name, model) for name, given in own.items() for model in [*shared, *_listed(name, given)]]
    if k is None and not models:
        raise InvalidArgumentError("k", "is missing: ask for k, l or t")
    share = exact("suppression", suppression)
    if not 0 <= share <= 1:
        raise InvalidArgumentError("suppression", f"must lie between 0 and 1, not {suppression}")
    # what is told from the size of a class alone, then what needs only its values, then distances
    models.sort(key=lambda pair: (not isinstance(pair[1], Distinct), hasattr(pair[1], "t")))
    return Demands(1 if k is None else whole("k", k), tuple(models), tuple(own), share)


def _listed(name: str, given: PrivacyModel | Iterable[PrivacyModel]) -> list[PrivacyModel]:
    models = list(given) if isinstance(given, Iterable) else [given]
    for model in models:
        if not isinstance(model, PrivacyModel):
            raise InvalidArgumentError("sensitive", f"must map {name!r} to models such as Distinct(3), not {model!r}")
    return models
