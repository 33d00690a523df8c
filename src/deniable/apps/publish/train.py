"""`deniable train`: a model on private rows, into a file with its card."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

import deniable
from deniable.apps.options import Analyst, EpsilonWithDelta, Policy, Rho
from deniable.core.errors import InvalidArgumentError


def command(
    policy: Policy,
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="The model file (TOML): model, select, target.")],
    rho: Rho = None,
    epsilon: EpsilonWithDelta = None,
    delta: Annotated[str | None, typer.Option(metavar="NUMBER", help="Delta that goes with epsilon.")] = None,
    analyst: Analyst = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write the model to this file (JSON).")
    ] = None,
    page: Annotated[
        Path | None, typer.Option("--card", metavar="FILE", help="Write the model's card to this file (HTML).")
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Only show the price and the noise. Reads no data, spends nothing.")
    ] = False,
) -> None:
    """Train a model on private rows, for one charge.

    Pay with --rho, or with --epsilon and --delta. Asking for the same model again costs nothing.
    """
    wanted = _wanted(model)
    for place in (output, page):
        if place is not None and not place.absolute().parent.is_dir():
            raise InvalidArgumentError("output", f"must be in a folder that exists, not in {str(place.parent)!r}")
    given = {"rho": rho, "epsilon": epsilon, "delta": delta}
    payment = {name: value for name, value in given.items() if value is not None}
    console = Console()
    with deniable.open(policy) as curator:
        if explain:
            quote = wanted.learner.explain(curator, wanted.select, target=wanted.target, analyst=analyst, **payment)
            console.print(quote)
            return
        found = wanted.learner.fit(curator, wanted.select, target=wanted.target, analyst=analyst, **payment)
    card = found.card()
    console.print(card.text(console.width), markup=False, highlight=False)
    if output is not None:
        console.print(f"written: {found.save(output)}", soft_wrap=True)
    if page is not None:
        page.write_text(card.page(), encoding="utf-8")
        console.print(f"written: {page}", soft_wrap=True)


def _wanted(path: Path):  # type: ignore[no-untyped-def]  # noqa: ANN202 - models are slow to load
    """What the file asks for."""
    import tomllib

    from deniable.learn.toml import read_model

    try:
        return read_model(tomllib.loads(path.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidArgumentError("model", f"cannot be read: {error}") from None
    except tomllib.TOMLDecodeError as error:
        raise InvalidArgumentError("model", f"is no valid TOML: {error}") from None
