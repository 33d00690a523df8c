"""Any other model, on synthetic rows: trained freely, because the rows belong to nobody."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deniable.core.errors import InvalidArgumentError

CAVEATS = (
    "trained on made-up rows, of which columns and pairs are about as in the data; more than that may be wrong",
    "standard errors, tests and intervals that the estimator computes do not know of the noise in these rows",
    "how well it does on real rows is not known before it is tried on some",
)


@dataclass(frozen=True)
class OnSynthetic:
    """An estimator that was trained on a synthetic release, with the columns that it was trained on."""

    estimator: Any
    columns: tuple[tuple[str, tuple[Any, ...] | None], ...]
    """Names; of those that are no numbers, the values that each has a column for."""
    release: Any
    caveats: tuple[str, ...] = CAVEATS

    def predict(self, rows: Any) -> NDArray[Any]:  # noqa: ANN401 - a frame
        """The estimator's own prediction."""
        return np.asarray(self.estimator.predict(self.encoded(rows)))

    def predict_proba(self, rows: Any) -> NDArray[np.float64]:  # noqa: ANN401 - same
        """The estimator's own chances."""
        return np.asarray(self.estimator.predict_proba(self.encoded(rows)))

    def score(self, rows: Any, target: Any) -> float:  # noqa: ANN401 - same
        """The estimator's own score, on rows that you hold."""
        return float(self.estimator.score(self.encoded(rows), np.asarray(target)))

    def encoded(self, rows: Any) -> NDArray[np.float64]:  # noqa: ANN401 - same
        """Numbers as they are, missing ones as 0; a column of 0 and 1 for each value of the others."""
        parts = []
        for name, values in self.columns:
            column = rows[name]
            listed = column.to_pylist() if hasattr(column, "to_pylist") else list(column)
            if values is None:
                parts.append(np.array([[0.0 if one is None else float(one)] for one in listed]))
            else:
                parts.append(np.array([[float(one == value) for value in values] for one in listed]))
        return np.hstack(parts)


def on_synthetic(
    estimator: Any,  # noqa: ANN401 - whatever has fit and predict
    curator: Any,  # noqa: ANN401 - a curator
    table: str,
    target: str,
    *,
    columns: Sequence[str] | None = None,
    **payment: Any,  # noqa: ANN401 - rho, or epsilon and delta
) -> OnSynthetic:
    """Train any estimator on a synthetic table of the curator's, which is paid for once and shown with its quality.

    `columns` are those to learn from; unless told, all. `caveats` says what such a model cannot promise.
    """
    wanted = None if columns is None else [*(name for name in columns if name != target), target]
    release = curator.synthesize(table, columns=wanted, **payment)
    made = release.table
    if target not in made.column_names:
        raise InvalidArgumentError("target", f"must be a column of {table!r}: {', '.join(made.column_names)}")
    kept = [name for name in made.column_names if name != target]
    described = tuple((name, _values(made[name].to_pylist())) for name in kept)
    found = OnSynthetic(estimator, described, release)
    there = made.filter(made[target].is_valid())
    estimator.fit(found.encoded(there), np.array(there[target].to_pylist()))
    return found


def _values(column: Sequence[Any]) -> tuple[Any, ...] | None:
    """None for numbers; else what there is, which is made up, and so is public."""
    present = [one for one in column if one is not None]
    if all(isinstance(one, int | float) and not isinstance(one, bool) for one in present):
        return None
    return tuple(sorted(set(present), key=str))
