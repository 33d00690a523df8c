"""Models as JSON: numbers and words, with the card inside; reading one runs nothing.

A file may be anybody's: what is in it is read into the attributes that the model declares and into no others, and a
model that cannot say anything about a row is none. Whether what it says of its training is true, no file can prove.
"""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from deniable.core.errors import InvalidArgumentError
from deniable.core.number import ratio
from deniable.learn.trained import Trained

if TYPE_CHECKING:
    from deniable.learn.learner import Learner

_FORMAT = "deniable model, 1"
_MALFORMED = (ArithmeticError, AttributeError, LookupError, MemoryError, RecursionError, TypeError, ValueError)
"""What reading a text raises that was not written here."""


def save(learner: Learner, path: str | Path) -> Path:
    """The model in a file."""
    learner._check_fitted()  # noqa: SLF001 - of its own room
    said = {
        "format": _FORMAT,
        "model": type(learner).__name__,
        "parameters": {name: _plain(value) for name, value in learner.get_params().items()},
        "learned": {name: _plain(value) for name, value in _learned(learner).items()},
        "trained": learner.trained_.to_dict(),
        "card": learner.card().to_dict(),
    }
    place = Path(path)
    place.write_text(json.dumps(said, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return place


def load(path: str | Path) -> Learner:
    """The model again.

    Raises:
        InvalidArgumentError: the file is no such model.
    """
    from deniable.learn.models.every import LEARNERS  # noqa: PLC0415 - each of them can be saved

    try:
        said = json.loads(Path(path).read_text(encoding="utf-8"))
        known = {one.__name__: one for one in LEARNERS}
        if said["format"] != _FORMAT or said["model"] not in known:
            raise InvalidArgumentError("path", f"is no {_FORMAT}")
        kind: type[Learner] = known[said["model"]]
        attributes = {name: _read(one) for name, one in said["learned"].items()}
        if not set(attributes) <= _declared(kind):
            raise InvalidArgumentError("path", f"has something in it that no {kind.__name__} has")
        learner = kind(**{name: _read(one) for name, one in said["parameters"].items()})
        return _tried(learner.learned(Trained.from_dict(said["trained"]), attributes))
    except _MALFORMED as error:
        if isinstance(error, InvalidArgumentError):
            raise
        raise InvalidArgumentError("path", f"holds no model: {type(error).__name__}") from None


def _declared(kind: type[Learner]) -> set[str]:
    """What training sets."""
    return {name for one in kind.__mro__ for name in vars(one).get("__annotations__", {}) if name.endswith("_")}


def _tried(learner: Learner) -> Learner:
    """The model, after it has said something about a row of which nothing is known, and has written its card."""
    use = learner.predict if hasattr(learner, "predict") else learner.transform  # type: ignore[attr-defined]  # one of them
    with np.errstate(all="ignore"):
        use({feature.name: [None] for feature in learner.design.features})
    repr(learner.card())
    return learner


def _learned(learner: Learner) -> dict[str, Any]:
    """What training has set, by scikit-learn's convention of names."""
    known = {"trained_", "n_features_in_", "feature_names_in_"}
    return {name: value for name, value in vars(learner).items() if name.endswith("_") and name not in known}


def _plain(value: Any) -> Any:  # noqa: ANN401 - numbers, words, arrays and lists of them
    if isinstance(value, np.ndarray):
        return {"array": value.tolist()}
    if isinstance(value, Fraction):
        return {"fraction": str(value)}
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, dict):
        return {"dict": [[name, _plain(one)] for name, one in value.items()]}
    if isinstance(value, list | tuple):
        return {"tuple": [_plain(one) for one in value]}
    if value is None or isinstance(value, str | bool | int | float):
        return value
    raise InvalidArgumentError("model", f"has a {type(value).__name__}, which cannot be saved")


def _read(said: Any) -> Any:  # noqa: ANN401 - same
    if not isinstance(said, dict):
        return said
    ((kind, value),) = said.items()
    match kind:
        case "array":
            return np.array(value)
        case "fraction":
            return ratio(value)
        case "dict":
            return {name: _read(one) for name, one in value}
        case _:
            return tuple(_read(one) for one in value)
