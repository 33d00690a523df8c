"""`deniable attack`: one command per attack, a list, and a tour."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from deniable.apps.attack import on_models, on_questions, on_tables, tour
from deniable.apps.attack.lecture import CHAPTERS
from deniable.apps.attack.options import Epsilon, Seed
from deniable.apps.attack.page import page
from deniable.apps.attack.show import show_matrix
from deniable.core.errors import InvalidArgumentError
from deniable.files.atomic import write

app = typer.Typer(no_args_is_help=True, help="What leaks: attacks on made-up people, on files, and on a curator.")
app.command("differencing")(on_questions.differencing)
app.command("pairs")(on_questions.pairs)
app.command("singling-out")(on_questions.singling_out)
app.command("averaging")(on_questions.averaging)
app.command("months")(on_questions.months)
app.command("reconstruct")(on_questions.reconstruct)
app.command("max-refusals")(on_questions.max_refusals)
app.command("bit-refusals")(on_questions.bit_refusals)
app.command("uniqueness")(on_tables.uniqueness)
app.command("linkage")(on_tables.linkage)
app.command("homogeneity")(on_tables.homogeneity)
app.command("background")(on_tables.background)
app.command("skewness")(on_tables.skewness)
app.command("composition")(on_tables.composition)
app.command("membership")(on_models.membership)
app.command("resemblance")(on_models.resemblance)
app.command("model")(on_models.model)
app.command("ranking")(on_models.ranking)


@app.command("list")
def _list() -> None:
    """Every attack, whom it defeats, what stops it, and the defences it can be run against."""
    console = Console()
    for chapter in CHAPTERS:
        table = Table(title=chapter.title, title_justify="left", title_style="bold", header_style="bold")
        for column in ("attack", "title", "defeats", "stopped by"):
            table.add_column(column, no_wrap=column == "attack")
        attacks = {stop.attack.name: stop.attack for stop in chapter.stops}.values()
        for attack in attacks:
            table.add_row(attack.name, attack.title, attack.victim, attack.saviour)
        console.print(table)
        defences = {name: defence.says for attack in attacks for name, defence in attack.defences(1).items()}
        for name, says in defences.items():
            console.print(f"  [bold]{name}[/bold] [dim]{says}[/dim]", highlight=False)
        console.print()


@app.command("tour")
def _tour(
    output: Annotated[Path, typer.Option("--output", "-o", help="Where to write the page.")] = Path("tour.html"),
    epsilon: Epsilon = "1",
    seed: Seed = 1,
    trials: Annotated[
        int, typer.Option(help="Guesses behind each number, at least; fewer are faster, and say less.")
    ] = tour.TRIALS,
) -> None:
    """All attacks against all defences: one matrix of numbers, one page of pictures."""
    if not output.parent.is_dir():
        raise InvalidArgumentError("output", f"must be in a folder that exists, not {output.parent}")
    console = Console()
    with Progress(
        TextColumn("{task.description:<44}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=console,
        transient=True,
    ) as progress:
        task = progress.add_task("", total=tour.length(epsilon))

        def tell(attack: str, defence: str) -> None:
            progress.update(task, advance=1, description=f"{attack} against {defence}")

        travelled = tour.travel(epsilon, seed, tell, trials)
    write(output, page(travelled), "output")
    show_matrix(travelled, console)
    console.print(
        "[dim]red: most of what guessing leaves open was taken; yellow: some of it; green: little or nothing[/dim]"
    )
    console.print(tour.verdict(travelled))
    console.print(f"wrote {output}: open it in a browser", soft_wrap=True)
