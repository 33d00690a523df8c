"""A model as people write it in a file: which, of what, with which settings."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from deniable.core.errors import InvalidArgumentError
from deniable.learn.learner import Learner
from deniable.learn.models.every import LEARNERS

_KNOWN = ("model", "select", "target", "settings")


@dataclass(frozen=True, slots=True)
class WantedModel:
    """What `fit` is asked for."""

    learner: Learner
    select: str | None
    target: str | None


def read_model(written: Mapping[str, Any]) -> WantedModel:
    """The model of a mapping: `model`, and if need be `select`, `target` and `settings`.

    Example:
        >>> wanted = read_model({"model": "KMeans", "select": "SELECT x, y FROM data", "settings": {"n_clusters": 3}})
        >>> wanted.learner, wanted.target
        (KMeans(n_clusters=3), None)
    """
    unknown = sorted(set(written) - set(_KNOWN))
    if unknown:
        raise InvalidArgumentError(unknown[0], f"is not known here; there are: {', '.join(_KNOWN)}")
    known = {one.__name__: one for one in LEARNERS}
    name = written.get("model")
    if name not in known:
        raise InvalidArgumentError("model", f"must be one of {', '.join(known)}, not {name!r}")
    for word in ("select", "target"):
        if not isinstance(written.get(word, ""), str):
            raise InvalidArgumentError(word, "must be a text")
    settings = written.get("settings", {})
    allowed = set(inspect.signature(known[name].__init__).parameters) - {"self", "epsilon", "delta", "rho", "bounds"}
    wrong = sorted(set(settings) - allowed) if isinstance(settings, Mapping) else ["settings"]
    if wrong:
        raise InvalidArgumentError(wrong[0], f"is no setting of {name}")
    return WantedModel(known[name](**settings), written.get("select"), written.get("target"))
