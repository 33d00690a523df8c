"""Arrays and frames under the protection of a curator of their own: what a model was made with is all that is known."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from deniable.core.errors import InvalidArgumentError
from deniable.core.number import positive, probability

if TYPE_CHECKING:
    import pyarrow as pa

    from deniable.learn.learner import Learner

_TARGET = "the target"
_SHARES = 4
"""A curator keeps half of its delta for group keys, and divides the rest between two ways to add up."""

Fits = TypeVar("Fits", bound="Learner")


def fitted(learner: Fits, rows: Any, target: Any, **how: Any) -> Fits:  # noqa: ANN401 - arrays or frames
    """The model, trained on the rows, which are then forgotten."""
    import deniable  # noqa: PLC0415 - the front door, as for anybody else: models stand below it

    payment = {name: how.pop(name, getattr(learner, name)) for name in ("epsilon", "delta", "rho")}
    if how:
        raise TypeError(f"fit() got an unexpected keyword argument {next(iter(how))!r}")
    if all(value is None for value in payment.values()):
        raise InvalidArgumentError("epsilon", "must be given, with delta; or rho: no spend is a default")
    table, names = _table(rows)
    columns, aim = _aimed(learner, table, target)
    epsilon, delta = _account(payment)
    curator = deniable.protect(
        columns,
        epsilon=epsilon,
        delta=delta,
        bounds={**_bounds(learner, names, columns), **aim.get("bounds", {})},
        values={**(learner.values or {}), **aim.get("values", {})},
    )
    try:
        listed = ", ".join(f'"{name}"' for name in columns.column_names)
        sql = f"SELECT {listed} FROM data"  # noqa: S608 - names of columns; parsed as any question
        spend = {name: value for name, value in payment.items() if value is not None}
        found: Fits = curator.train(learner, sql, target=_TARGET if aim else None, **spend)
    finally:
        curator.close()
    if learner.target == "classes":
        found.classes_ = np.array(list(learner.classes))  # type: ignore[attr-defined]  # of a classifier
    return found


def _account(payment: Mapping[str, Any]) -> tuple[Fraction, Fraction]:
    """A budget that the one training uses up."""
    if payment["rho"] is not None:
        return 100 * positive("rho", payment["rho"]) + 100, Fraction(1, 10**6)
    if payment["epsilon"] is None or payment["delta"] is None:
        raise InvalidArgumentError("delta", "must be given with epsilon")
    return positive("epsilon", payment["epsilon"]), min(
        _SHARES * probability("delta", payment["delta"]), Fraction(99, 100)
    )


def _table(rows: Any) -> tuple[pa.Table, list[str]]:  # noqa: ANN401 - an array or a frame
    import pyarrow as pa  # noqa: PLC0415 - takes long to import

    from deniable.files.frames import arrow  # noqa: PLC0415 - same

    if isinstance(rows, pa.Table) or hasattr(rows, "columns"):
        table = arrow(rows)
        return table, table.column_names
    values = _checked(rows)
    names = [f"x{place}" for place in range(values.shape[1])]
    return pa.table({name: values[:, place] for place, name in enumerate(names)}), names


def _checked(rows: Any) -> np.ndarray[Any, Any]:  # noqa: ANN401 - what people hand over
    """Rows and columns of finite numbers, refused in the words that scikit-learn's users know."""
    if hasattr(rows, "tocsr"):
        raise TypeError("Sparse data was passed, but dense data is required.")
    values = np.asarray(rows)
    if values.dtype.kind == "c":
        raise ValueError("Complex data not supported.")
    values = np.asarray(values, dtype=np.float64)
    if values.ndim != 2:  # noqa: PLR2004 - rows and columns
        raise ValueError(f"Expected 2D array, got {values.ndim}D array instead. Reshape your data.")
    if values.shape[0] == 0:
        raise ValueError(f"Found array with 0 sample(s) (shape={values.shape}) while a minimum of 1 is required.")
    if values.shape[1] == 0:
        raise ValueError(f"Found array with 0 feature(s) (shape={values.shape}) while a minimum of 1 is required.")
    if bool(np.isinf(values).any()):
        raise ValueError("Input X contains infinity or a value too large for dtype('float64').")
    return values


def _bounds(learner: Learner, names: list[str], table: pa.Table) -> dict[str, tuple[Any, Any]]:
    """As the model was made with: one pair for all columns, a pair for each, or pairs by name. Nothing is guessed."""
    given = learner.bounds
    if isinstance(given, Mapping):
        return {name: pair for name, pair in given.items() if name in table.column_names}
    if given is None:
        raise InvalidArgumentError("bounds", "must be given: between which numbers values lie is never read from data")
    pairs = np.asarray(given, dtype=np.float64)
    every = np.broadcast_to(pairs, (len(names), 2)) if pairs.ndim == 1 else pairs
    if every.shape != (len(names), 2):
        raise InvalidArgumentError("bounds", f"must be one pair, or {len(names)} of them")
    numbers = [name for name in names if name not in (learner.values or {})]
    return {name: (float(low), float(high)) for name, (low, high) in zip(names, every, strict=True) if name in numbers}


def _aimed(learner: Learner, table: pa.Table, target: Any) -> tuple[pa.Table, dict[str, Any]]:  # noqa: ANN401 - a vector
    """The rows with their target, and what is known of it."""
    import pyarrow as pa  # noqa: PLC0415 - takes long to import

    if learner.target == "":
        return table, {}
    if target is None:
        raise ValueError(f"{type(learner).__name__} requires y to be passed, but the target y is None.")
    values = np.asarray(target)
    if values.ndim == 2 and values.shape[1] == 1:  # noqa: PLR2004 - a column
        _warn_column()
        values = values[:, 0]
    if values.ndim != 1 or len(values) != table.num_rows:
        raise ValueError(
            f"y should be a 1d array of length {table.num_rows}, got an array of shape {values.shape} instead."
        )
    if learner.target == "number":
        numbers = np.asarray(values, dtype=np.float64)
        if not bool(np.isfinite(numbers).all()):
            raise ValueError("Input y contains NaN or infinity.")
        bounds = getattr(learner, "target_bounds", None)
        if bounds is None:
            raise InvalidArgumentError("target_bounds", "must be given: they are never read from data")
        return table.append_column(_TARGET, pa.array(numbers)), {"bounds": {_TARGET: tuple(bounds)}}
    places = _places(learner, values)
    column = pa.array([places.get(value) for value in values.tolist()], pa.string())
    return table.append_column(_TARGET, column), {"values": {_TARGET: list(places.values())}}


def _places(learner: Learner, values: np.ndarray[Any, Any]) -> dict[Any, str]:
    """The classes that the model was made with, each by its place."""
    if values.dtype.kind == "f":
        if not bool(np.isfinite(values).all()):
            raise ValueError("Input y contains NaN or infinity.")
        if bool((values != np.trunc(values)).any()):
            raise ValueError("Unknown label type: continuous. Maybe you are trying to fit a classifier to numbers.")
    classes = getattr(learner, "classes", None)
    if classes is None:
        raise InvalidArgumentError("classes", "must be given: they are never read from data")
    return {value: f"{place}" for place, value in enumerate(classes)}


def _warn_column() -> None:
    import warnings  # noqa: PLC0415 - once in a while

    try:
        from sklearn.exceptions import DataConversionWarning as Kind  # noqa: PLC0415 - scikit-learn is optional
    except ImportError:
        Kind = UserWarning  # noqa: N806 - a class
    warnings.warn("A column-vector y was passed when a 1d array was expected.", Kind, stacklevel=2)
