"""Arguments and options that several commands share: one word, one meaning, one help text."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

_NUMBER = "NUMBER"

Policy = Annotated[Path, typer.Argument(metavar="POLICY", help="The policy file (TOML).")]
Question = Annotated[str, typer.Argument(metavar="SQL", help="The question, in SQL.")]
Epsilon = Annotated[
    str | None, typer.Option(metavar=_NUMBER, help="Privacy budget to spend, as pure epsilon (Laplace noise).")
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
Analyst = Annotated[
    str | None, typer.Option(metavar="NAME", help="Who is asking, if the policy divides the budget among analysts.")
]
Plot = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Also save the picture to this file (png, svg or pdf).")
]
