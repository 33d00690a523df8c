"""The one way in which a loss, an event and a body are written down, so that their digest can be computed again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from deniable.core.event import Event
from deniable.core.loss import Loss
from deniable.core.number import ratio

MALFORMED = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""What reading a text raises that was not written here."""

_FORMS = ("epsilon", "rho", "mu_squared", "delta")


def canonical(value: object) -> str:
    """JSON in ASCII, without spaces, keys in order: one text for one value, and no line break in it.

    Example:
        >>> canonical({"b": None, "a": [1, "x"]})
        '{"a":[1,"x"],"b":null}'
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def loss_to_json(loss: Loss) -> dict[str, str | None]:
    """Every form as an exact fraction, p/q; a form that is not proven is null."""
    forms = {name: getattr(loss, name) for name in _FORMS}
    return {name: None if form is None else str(form) for name, form in forms.items()}


def loss_from_json(forms: Mapping[str, str | None]) -> Loss:
    """The loss that was written down."""
    return Loss(
        epsilon=_fraction(forms["epsilon"]),
        rho=_fraction(forms["rho"]),
        mu_squared=_fraction(forms["mu_squared"]),
        delta=_fraction(forms["delta"]) or Fraction(0),
    )


def event_from_json(event: Mapping[str, Any]) -> Event:
    """The event that was written down by `Event.to_json`."""
    return Event(event["mechanism"], {name: Fraction(value) for name, value in event["settings"].items()})


def _fraction(text: str | None) -> Fraction | None:
    """Read with int and not by Fraction's own pattern, which takes most of the time that opening a ledger takes."""
    return None if text is None else ratio(text)
