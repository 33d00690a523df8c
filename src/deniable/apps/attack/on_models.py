"""`deniable attack`: attacks on means, made-up rows, models and rankings, made up or from files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np
import pyarrow as pa
import typer
from rich.console import Console
from rich.table import Table

from deniable.apps.attack.files import numbers_of, read_table
from deniable.apps.attack.options import MadeUp
from deniable.apps.attack.show import show_counts
from deniable.apps.spread import spread
from deniable.attacks import Membership, Model, Ranking, Resemblance
from deniable.attacks.classes import require
from deniable.attacks.on_models.membership import judge
from deniable.attacks.on_models.model import threshold_between
from deniable.attacks.on_models.ranking import posterior
from deniable.attacks.on_models.resemblance import nearest
from deniable.core.errors import InvalidArgumentError
from deniable.core.number import whole

Candidates = Annotated[int, typer.Option(help="How many made-up people, half of them in.")]


@spread
def membership(
    *,
    means: Annotated[Path | None, typer.Argument(help="Released means: one row, a column for each fact.")] = None,
    people: Annotated[Path | None, typer.Option(help="Candidates, with the same columns (CSV or Parquet).")] = None,
    reference: Annotated[Path | None, typer.Option(help="The population's means, with the same columns.")] = None,
    size: Annotated[int | None, typer.Option(help="Over how many people the means were taken.")] = None,
    candidates: Candidates = 100,
    columns: Annotated[int, typer.Option(help="Columns of made-up people.")] = 1000,
    made_up: MadeUp,
) -> None:
    """Tell from released means who is in the data."""
    if means is None:
        made_up.fight(Membership(candidates, columns))
        return
    if people is None or reference is None or size is None:
        raise InvalidArgumentError("means", "need --people, --reference and --size beside them")
    tables = [read_table(path, what) for path, what in ((means, "means"), (people, "people"), (reference, "reference"))]
    facts = tables[0].column_names
    for table, what in zip(tables[1:], ("people", "reference"), strict=True):
        require(table, facts, what)
    released, listed, known = (
        np.column_stack([numbers_of(table, fact, what) for fact in facts])
        for table, what in zip(tables, ("means", "people", "reference"), strict=True)
    )
    score, threshold = judge(listed, released[0] * whole("size", size), known[0])
    _verdicts(score, score > threshold, f"a member's score is about {2 * threshold:.3g}, a stranger's about 0")


@spread
def model(
    *,
    losses: Annotated[Path | None, typer.Argument(help="Candidates' losses under a model: a column loss.")] = None,
    shadow: Annotated[
        Path | None, typer.Option(help="Losses under a model of your own: columns loss and member (1 or 0).")
    ] = None,
    candidates: Candidates = 200,
    features: Annotated[int, typer.Option(help="Features of made-up people.")] = 1000,
    made_up: MadeUp,
) -> None:
    """Tell from a model whom it was trained on."""
    if losses is None:
        made_up.fight(Model(candidates, features))
        return
    if shadow is None:
        raise InvalidArgumentError("losses", "need --shadow beside them: losses of people of whom it is known")
    own = read_table(shadow, "shadow")
    loss, member = numbers_of(own, "loss", "shadow"), numbers_of(own, "member", "shadow") == 1
    if member.all() or not member.any():
        raise InvalidArgumentError("shadow", "must have members (1) and others (0)")
    threshold = threshold_between(loss[member], loss[~member])
    asked = numbers_of(read_table(losses, "losses"), "loss", "losses")
    _verdicts(asked, asked < threshold, f"guessed to be in below a loss of {threshold:.3g}")


@spread
def resemblance(
    *,
    release: Annotated[
        Path | None, typer.Argument(help="Made-up rows (CSV or Parquet); made-up people without.")
    ] = None,
    people: Annotated[Path | None, typer.Option(help="People who were in the data, with the same columns.")] = None,
    others: Annotated[Path | None, typer.Option(help="People who were not, with the same columns.")] = None,
    candidates: Annotated[int, typer.Option(help="How many made-up people, half of them in.")] = 200,
    questions: Annotated[int, typer.Option(help="Columns of made-up people.")] = 16,
    made_up: MadeUp,
) -> None:
    """Tell from made-up rows whom they were made up from."""
    if release is None:
        made_up.fight(Resemblance(candidates, questions))
        return
    if people is None or others is None:
        raise InvalidArgumentError("release", "needs --people and --others beside it: who was in the data, who was not")
    files = ((release, "release"), (people, "people"), (others, "others"))
    tables = [read_table(path, what) for path, what in files]
    for table, (_, what) in zip(tables[1:], files[1:], strict=True):
        require(table, tables[0].column_names, what)
    rows, inside, outside = _coded(tables, tables[0].column_names)
    mine, theirs = nearest(inside, rows), nearest(outside, rows)
    threshold = threshold_between(mine, theirs)
    show_counts(
        f"{release}: how near the nearest made-up row is",
        {
            "people in the data": (mine.size, None),
            "in the data, and a made-up row is just like them": (int((mine == 0).sum()), mine.size),
            "not in the data, and a made-up row is just like them": (int((theirs == 0).sum()), theirs.size),
            f"in the data, and nearer than {threshold:g} values": (int((mine < threshold).sum()), mine.size),
            f"not in the data, and nearer than {threshold:g} values": (int((theirs < threshold).sum()), theirs.size),
        },
        Console(),
    )


@spread
def ranking(
    *,
    clicks: Annotated[Path | None, typer.Argument(help="What was clicked: a column ad.")] = None,
    planted: Annotated[
        Path | None, typer.Option(help="What planted accounts were shown: columns group (0 or 1) and ad.")
    ] = None,
    n: Annotated[int, typer.Option(help="How many made-up visitors.")] = 2000,
    visits: Annotated[int, typer.Option(help="Page loads of each planted account.")] = 2000,
    made_up: MadeUp,
) -> None:
    """Tell from a click what the profile says."""
    if clicks is None:
        made_up.fight(Ranking(n, visits))
        return
    if planted is None:
        raise InvalidArgumentError("clicks", "need --planted beside them: what your own accounts were shown")
    shown, clicked = read_table(planted, "planted"), read_table(clicks, "clicks")
    require(shown, ["group", "ad"], "planted")
    require(clicked, ["ad"], "clicks")
    ads, code = np.unique(np.array(shown["ad"].to_pylist() + clicked["ad"].to_pylist()), return_inverse=True)
    group = numbers_of(shown, "group", "planted").astype(np.int64)
    if set(group.tolist()) != {0, 1}:
        raise InvalidArgumentError("planted", "must have accounts of both groups, 0 and 1")
    belief = posterior(code[: group.size], group, ads.size)
    each = belief[code[group.size :]]
    _verdicts(each, each > 0.5, "how likely each clicker is of group 1; before, both were equally likely")  # noqa: PLR2004 - likelier than not


def _coded(tables: list[pa.Table], columns: list[str]) -> list[np.typing.NDArray[np.int64]]:
    """Tables as numbers, equal where their values are."""
    ends = np.cumsum([table.num_rows for table in tables])[:-1]
    codes = [
        np.unique(
            np.array([str(value) for table in tables for value in table[column].to_pylist()]), return_inverse=True
        )
        for column in columns
    ]
    return np.split(np.column_stack([code.reshape(-1) for _, code in codes]).astype(np.int64), ends)


def _verdicts(scores: np.typing.NDArray[np.float64], inside: np.typing.NDArray[np.bool_], note: str) -> None:
    """A row for each candidate, up to a screenful."""
    console = Console()
    table = Table(title=f"{int(inside.sum()):,} of {inside.size:,}: yes", title_justify="left", header_style="bold")
    for heading in ("row", "score", "guess"):
        table.add_column(heading, justify="right")
    for row, (score, guess) in enumerate(zip(scores.tolist(), inside.tolist(), strict=True)):
        if row < 20:  # noqa: PLR2004 - a screenful
            table.add_row(str(row + 1), f"{score:.3g}", "yes" if guess else "no")
    console.print(table)
    console.print(f"[dim]{note}[/dim]", soft_wrap=True)
