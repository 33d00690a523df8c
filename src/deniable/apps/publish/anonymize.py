"""`deniable anonymize`: publish a table, check one, draft what to ask."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from deniable.apps.exits import ExitCode
from deniable.core.errors import InvalidArgumentError
from deniable.files.atomic import write
from deniable.files.source import DataFile


class _TableFirst(typer.core.TyperGroup):
    """`deniable anonymize patients.csv` is short for `deniable anonymize table patients.csv`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401 - click's context
        """What is no command is a table's file or an option."""
        if args and args[0] not in self.commands and args[0] != "--help":
            args = ["table", *args]
        return super().parse_args(ctx, args)


app = typer.Typer(
    cls=_TableFirst,
    no_args_is_help=True,
    help="Publish a table in which everyone hides among others: k-anonymity, l-diversity, t-closeness.",
)

_NUMBER = "NUMBER"
Settings = Annotated[
    Path,
    typer.Option(metavar="FILE", help="The settings file (TOML): columns and demands. Options here override it."),
]
K = Annotated[int | None, typer.Option(metavar=_NUMBER, help="Least number of rows that look alike.")]
L = Annotated[
    int | None,
    typer.Option(metavar=_NUMBER, help="Least number of different sensitive values among rows that look alike."),
]
T = Annotated[
    str | None,
    typer.Option(
        metavar=_NUMBER, help="Most that the sensitive values of such rows may differ from the whole table's (0 to 1)."
    ),
]
Suppression = Annotated[
    str | None, typer.Option(metavar=_NUMBER, help="Largest share of rows that may be suppressed (0 to 1).")
]


@app.command("table")
def _table(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="The table: a .parquet or .csv file, or 'file.duckdb::table'.")
    ],
    settings: Settings,
    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="FILE", help="Where to write the published table: .parquet or .csv."),
    ],
    k: K = None,
    l: L = None,
    t: T = None,
    suppression: Suppression = None,
    method: Annotated[
        str | None, typer.Option(metavar="NAME", help="How to search: optimal, mondrian or local.")
    ] = None,
    loss: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="What to keep low: ncp, entropy, discernibility or 'class size'."),
    ] = None,
    report: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write a report for the custodian (one HTML page).")
    ] = None,
) -> None:
    """Publish a table, or refuse and name the nearest settings that would work."""
    from deniable.releases import anonymize
    from deniable.releases.syntactic.settings import load

    if output.suffix not in (".parquet", ".csv"):
        raise InvalidArgumentError("output", f"must end in .parquet or .csv, not be {str(output)!r}")
    if output.resolve() == DataFile.named(file, "frame").path:
        raise InvalidArgumentError("output", "must not be the original table")
    chosen = {"k": k, "l": l, "t": t, "suppression": suppression, "method": method, "loss": loss}
    asked = load(settings) | {name: value for name, value in chosen.items() if value is not None}
    with Progress(
        TextColumn("nodes decided"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    ) as progress:
        task = progress.add_task("nodes", total=None)
        result = anonymize(
            file, **asked, progress=lambda done, total: progress.update(task, completed=done, total=total)
        )
    result.save(output)
    console = Console()
    console.print(result.report)
    console.print(f"wrote {output}", soft_wrap=True, markup=False)
    if report is not None:
        saved = result.report.save(report)
        console.print(f"wrote {saved}: for the custodian, not for publication", soft_wrap=True, markup=False)


@app.command("check")
def _check(
    file: Annotated[str, typer.Argument(metavar="FILE", help="The published table.")],
    settings: Settings,
    k: K = None,
    l: L = None,
    t: T = None,
    suppression: Suppression = None,
) -> None:
    """Check a published table, however it was made. Ends with exit code 1 if it does not hold."""
    from deniable.releases import check as check_table
    from deniable.releases.syntactic.settings import load

    loaded = load(settings)
    chosen = {"k": k, "l": l, "t": t, "suppression": suppression}
    asked = loaded | {name: value for name, value in chosen.items() if value is not None}
    wanted = ("quasi_identifiers", "sensitive", *chosen)
    found = check_table(file, **{name: asked[name] for name in wanted if name in asked})
    Console().print(str(found), markup=False, highlight=False)
    if not found.holds:
        raise typer.Exit(ExitCode.FAILED)


@app.command("draft")
def _draft(
    file: Annotated[str, typer.Argument(metavar="FILE", help="The table to publish.")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="Where to write the draft.")] = Path(
        "anonymize.toml"
    ),
) -> None:
    """Draft a settings file for a table. It says what was looked up in the data, for you to judge."""
    from deniable.releases.syntactic.hierarchies.drafting import draft_policy

    if output.exists():
        raise InvalidArgumentError("output", f"{output} exists already; name another with --output")
    text = draft_policy(file)
    write(output, text, new=True)
    Console().print(
        f"wrote {output}: say which columns are sensitive, and delete what must not be published",
        soft_wrap=True,
        markup=False,
    )
