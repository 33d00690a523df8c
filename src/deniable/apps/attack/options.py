"""Options that several attacks share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Defence = Annotated[str | None, typer.Option(help="Only against this one; without it, against all that fit.")]
Epsilon = Annotated[str, typer.Option(help="What the defences that promise something promise.")]
Seed = Annotated[int | None, typer.Option(help="For the made-up people and the old defences; fresh without it.")]
Plot = Annotated[Path | None, typer.Option(help="Draw the picture into this file (svg); needs --defence.")]
On = Annotated[str | None, typer.Option(help="The columns to match on, with commas; all that both have, without it.")]
Sensitive = Annotated[
    str | None, typer.Option(help="The sensitive column; the last one that is not matched on, without it.")
]
Public = Annotated[Path | None, typer.Option(help="A public list of people (CSV or Parquet).")]
