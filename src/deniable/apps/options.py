"""Arguments and options that several commands share: one word, one meaning, one help text."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

_NUMBER = "NUMBER"

Policy = Annotated[Path, typer.Argument(metavar="POLICY", help="The policy file (TOML).")]
Question = Annotated[str, typer.Argument(metavar="SQL", help="The question, in SQL.")]
Param = Annotated[
    list[str] | None,
    typer.Option(
        "--param",
        metavar="VALUE",
        help="The value of a parameter, once for each ? or $1 in the question; or NAME=VALUE for :NAME.",
    ),
]
Epsilon = Annotated[
    str | None, typer.Option(metavar=_NUMBER, help="Privacy budget to spend, as pure epsilon (Laplace noise).")
]
EpsilonWithDelta = Annotated[
    str | None, typer.Option(metavar=_NUMBER, help="Privacy budget to spend, as epsilon with a delta (Gaussian noise).")
]
Rho = Annotated[
    str | None, typer.Option(metavar=_NUMBER, help="Privacy budget to spend, as rho of zCDP (Gaussian noise).")
]
Accuracy = Annotated[
    str | None,
    typer.Option(metavar=_NUMBER, help="Spend the least budget that keeps the error within ± this value."),
]
Delta = Annotated[
    str | None,
    typer.Option(metavar=_NUMBER, help="Delta to spend on revealing group keys the policy does not list."),
]
Confidence = Annotated[str, typer.Option(metavar=_NUMBER, help="Confidence level of the error bars.")]
Rows = Annotated[
    str | None,
    typer.Option(metavar=_NUMBER, help="How many rows a group is expected to have: what errors of averages depend on."),
]
Contribution = Annotated[
    str | None,
    typer.Option(metavar=_NUMBER, help="Count fewer rows of one person than the policy allows: less noise, more cut."),
]
Simultaneous = Annotated[
    bool, typer.Option("--simultaneous", help="All error bars of the answer hold at once, not each by itself.")
]
After = Annotated[
    list[str] | None,
    typer.Option(
        "--after",
        metavar="STEP",
        help="A step after the noise, for nothing: nonnegative, whole, nonzero; or consistent, of totals by ROLLUP.",
    ),
]
Analyst = Annotated[
    str | None, typer.Option(metavar="NAME", help="Who is asking, if the policy divides the budget among analysts.")
]
Plot = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Also save the picture to this file (png, svg or pdf).")
]


@dataclass(frozen=True, slots=True)
class PaymentOptions:
    """How a question is paid for, and by whom."""

    epsilon: Epsilon = None
    rho: Rho = None
    accuracy: Accuracy = None
    delta: Delta = None
    confidence: Confidence = "0.95"
    rows: Rows = None
    contribution: Contribution = None
    simultaneous: Simultaneous = False
    after: After = None
    analyst: Analyst = None


def parameters(sql: str, given: list[str] | None) -> list[str] | dict[str, str] | None:
    """The values of parameters: by name, where the question has names for them."""
    if not given:
        return None
    pairs = [one.partition("=") for one in given]
    if all(equals and f":{name}" in sql for name, equals, _ in pairs):
        return {name: value for name, _, value in pairs}
    return given
