"""`deniable profile`: what a custodian needs to know before bounds are declared, privately."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

import deniable
from deniable.apps.options import Analyst, Confidence, Policy, Rho
from deniable.core.shown import printable
from deniable.files import atomic

_QUESTIONS = 20
"""A typical question spends the budget's epsilon divided by this."""


def command(
    policy: Policy,
    rho: Rho = None,
    delta: Annotated[
        str | None, typer.Option(metavar="NUMBER", help="Delta to spend on finding texts the policy does not list.")
    ] = None,
    suggest: Annotated[
        bool, typer.Option("--suggest", help="Show which bounds and contributions the profile suggests.")
    ] = False,
    apply: Annotated[bool, typer.Option("--apply", help="Write these suggestions into the policy file.")] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Where to write the page with its pictures.")
    ] = None,
    confidence: Confidence = "0.95",
    analyst: Analyst = None,
) -> None:
    """Learn privately what the tables look like, and which bounds and contributions suit them.

    One charge pays for all of it: rows per person, values and missing values of every column. It needs no bounds.
    With a delta, common texts that the policy does not list are found first, for a tenth of rho.
    Suggestions, and notes with numbers in later answers, cost nothing more. With the same rho it is free the next time.
    """
    from deniable.curator import adopt
    from deniable.releases.profile.suggest import applied, suggestions, untold

    console = Console()
    with deniable.open(policy) as curator:
        with console.status("counting people and values"):
            profile = curator.profile(rho=rho, delta=delta, confidence=confidence, analyst=analyst)
        typical, tables = curator.policy.budget.epsilon / _QUESTIONS, curator.policy.tables.values()
    console.print(profile)
    page = profile.to_html(output or Path(policy).with_name("profile.html"))
    console.print(f"wrote {page}", soft_wrap=True, markup=False)
    if not (suggest or apply):
        console.print("for bounds and contributions, run it again with --suggest: it is free now", soft_wrap=True)
        return
    never = {(table.name, one.name) for table in tables for one in table.columns.values() if not one.nulls}
    found = suggestions(profile, Fraction(typical), never)
    for one in found:
        console.print(printable(str(one)), soft_wrap=True, markup=False, highlight=False)
    for words in untold(profile):
        console.print(printable(words), style="yellow", soft_wrap=True, markup=False, highlight=False)
    if apply:
        path = Path(policy)
        text, left = applied(path.read_text(encoding="utf-8"), found, profile.release)
        atomic.write(path, text)
        adopt(path, f"suggestions of the private profile {profile.release[:12]}")
        for one in left:
            console.print(printable(f"not written, for want of a plain line: {one}"), style="yellow", soft_wrap=True)
        many = len(found) - len(left)
        console.print(f"wrote {many} suggestion{'s' * (many != 1)} into {path}", soft_wrap=True, markup=False)
