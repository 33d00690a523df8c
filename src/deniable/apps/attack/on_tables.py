"""`deniable attack`: attacks on published tables, made up or from files."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Annotated

import numpy as np
import pyarrow as pa
import typer
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from deniable.apps.attack.files import columns_of, read_table, sensitive_of
from deniable.apps.attack.options import MadeUp, On, PublicList, Sensitive
from deniable.apps.attack.show import show_counts, show_people
from deniable.apps.spread import spread
from deniable.attacks import Background, Composition, Homogeneity, Linkage, Skewness, Uniqueness
from deniable.attacks.classes import PublishedClasses, require
from deniable.attacks.on_tables.composition import compose
from deniable.attacks.on_tables.homogeneity import exposed_rows
from deniable.attacks.on_tables.linkage import Links, link
from deniable.attacks.on_tables.skewness import worst_class
from deniable.attacks.on_tables.uniqueness import group_sizes
from deniable.core.errors import InvalidArgumentError

Release = Annotated[Path | None, typer.Argument(help="A published table (CSV or Parquet); made-up people without it.")]
Size = Annotated[int, typer.Option("--n", help="How many made-up people.")]
_MOST_COLUMNS = 6


@spread
def linkage(
    *,
    release: Release = None,
    on: On = None,
    sensitive: Sensitive = None,
    listed: PublicList,
    n: Size = 1000,
    made_up: MadeUp,
) -> None:
    """Join a public list with names to a table without."""
    if release is None:
        made_up.fight(Linkage(n))
        return
    if listed.public is None:
        raise InvalidArgumentError("public", "is needed: name the list with names by --public")
    table, people = read_table(release, "release"), read_table(listed.public, "public list")
    shared = _matched(on, table, people)
    column = sensitive_of(sensitive, table.column_names, shared)
    found = link(table, people, shared, column)
    total = people.num_rows
    console = Console()
    show_counts(
        f"{release} joined with {listed.public} on {', '.join(shared)}",
        {
            "people on the list": (total, None),
            "just one row fits": (int(found.identified.sum()), total),
            f"just one {column} is left": (int(found.exposed.sum()), total),
            "no row fits": (int((found.rows == 0).sum()), total),
        },
        console,
    )
    _show_guesses(found, column, console)
    show_people(_named(people, listed, found.exposed, found.value), column, console)


@spread
def uniqueness(
    *,
    release: Release = None,
    on: On = None,
    n: Size = 50_000,
    made_up: MadeUp,
) -> None:
    """How many people a few columns name."""
    if release is None:
        made_up.fight(Uniqueness(n))
        return
    table = read_table(release, "table")
    columns = columns_of(on, table.column_names)
    require(table, columns, "table")
    if len(columns) > _MOST_COLUMNS:
        raise InvalidArgumentError("on", f"has {len(columns)} columns: name at most {_MOST_COLUMNS} with --on")
    shown = Table(title=f"{release}: rows that are alone", title_justify="left", header_style="bold")
    for heading in ("columns", "alone", "share", "smallest group"):
        shown.add_column(heading, justify="left" if heading == "columns" else "right")
    for size in range(1, len(columns) + 1):
        for chosen in combinations(columns, size):
            sizes = group_sizes(table, chosen)
            alone = int((sizes == 1).sum())
            shown.add_row(" + ".join(chosen), f"{alone:,}", f"{alone / sizes.size:.1%}", f"{int(sizes.min()):,}")
    Console().print(shown)


@spread
def homogeneity(
    *,
    release: Release = None,
    on: On = None,
    sensitive: Sensitive = None,
    categories: Annotated[Path | None, typer.Option(help="A file with columns value and category.")] = None,
    n: Size = 1000,
    made_up: MadeUp,
) -> None:
    """Read what all rows of a class have in common."""
    if release is None:
        made_up.fight(Homogeneity(n))
        return
    table, columns, column = _grouped(release, on, sensitive)
    classes = PublishedClasses.of(table, columns, column)
    lines = {
        "rows": (table.num_rows, None),
        "classes": (len(classes.cells), None),
        "smallest class (k)": (int(classes.sizes.min()), None),
        f"fewest values of {column} in a class (l)": (int(classes.values_left.min()), None),
        f"rows whose class has one {column}": (int(exposed_rows(table, columns, column).sum()), table.num_rows),
    }
    if categories is not None:
        known = read_table(categories, "categories")
        require(known, ["value", "category"], "categories")
        meant = dict(zip(known["value"].to_pylist(), known["category"].to_pylist(), strict=True))
        similar = exposed_rows(table, columns, column, meant)
        lines["rows whose class has one category"] = (int(similar.sum()), table.num_rows)
    show_counts(f"{release}, classes by {', '.join(columns)}", lines, Console())


@spread
def background(
    *,
    release: Release = None,
    on: On = None,
    sensitive: Sensitive = None,
    ruled_out: Annotated[list[str], typer.Option("--not", help="A value that is ruled out; may be repeated.")] = [],  # noqa: B006 - Typer reads it
    n: Size = 1000,
    known: Annotated[int, typer.Option(help="Diseases of made-up people that are ruled out.")] = 6,
    made_up: MadeUp,
) -> None:
    """Strike out what is known not to be, and read what is left of the class."""
    if release is None:
        made_up.fight(Background(n, known))
        return
    table, columns, column = _grouped(release, on, sensitive)
    classes = PublishedClasses.of(table, columns, column)
    for value in ruled_out:
        if value not in classes.values:
            raise InvalidArgumentError("not", f"{value!r} is no {column}; there are: {', '.join(classes.values)}")
    before, after = ((each.values_left == 1)[classes.row] for each in (classes, classes.without(ruled_out)))
    show_counts(
        f"{release}, classes by {', '.join(columns)}",
        {
            "rows": (table.num_rows, None),
            f"rows with one {column} left, nothing known": (int(before.sum()), table.num_rows),
            f"rows with one {column} left, knowing: not {', '.join(ruled_out) or '-'}": (
                int(after.sum()),
                table.num_rows,
            ),
        },
        Console(),
    )


@spread
def skewness(
    *,
    release: Release = None,
    on: On = None,
    sensitive: Sensitive = None,
    n: Size = 2000,
    rate: Annotated[float, typer.Option(help="How many of the made-up people are infected.")] = 0.02,
    made_up: MadeUp,
) -> None:
    """Find the class in which a rare value is frequent."""
    if release is None:
        made_up.fight(Skewness(n, rate))
        return
    table, columns, column = _grouped(release, on, sensitive)
    shown = Table(title=f"{release}: how far a belief moves", title_justify="left", header_style="bold")
    for heading in (column, "in all rows", "in the worst class"):
        shown.add_column(heading, justify="left" if heading == column else "right")
    for value in PublishedClasses.of(table, columns, column).values:
        most, overall = worst_class(table, columns, column, value)
        shown.add_row(value, f"{overall:.1%}", f"{most:.1%}")
    Console().print(shown)


@spread
def composition(
    *,
    release: Release = None,
    other: Annotated[Path | None, typer.Argument(help="A second table about some of the same people.")] = None,
    on: On = None,
    sensitive: Sensitive = None,
    listed: PublicList,
    n: Size = 1000,
    made_up: MadeUp,
) -> None:
    """Intersect two tables about the same person."""
    if release is None:
        made_up.fight(Composition(n))
        return
    if other is None:
        raise InvalidArgumentError("other", "is needed: name two releases")
    first, second = read_table(release, "first release"), read_table(other, "second release")
    people = None if listed.public is None else read_table(listed.public, "public list")
    both = [column for column in first.column_names if column in second.column_names]
    column = sensitive_of(sensitive, both, columns_of(on, () if people is None else people.column_names))
    shared = [name for name in both if people is None or name in people.column_names]
    matched = columns_of(on, [name for name in shared if name != column])
    found = compose(first, second, matched, column, people)
    what = "people on the list" if people is not None else "pairs of classes that overlap"
    console = Console()
    total = found.left.size
    show_counts(
        f"{release} with {other} on {', '.join(matched)}",
        {
            what: (total, None),
            f"one {column} left for whoever is in both": (int((found.left == 1).sum()), total),
            f"no {column} is in both": (int((found.left == 0).sum()), total),
        },
        console,
    )
    if people is not None:
        show_people(_named(people, listed, found.left == 1, found.value), column, console)


def _show_guesses(found: Links, column: str, console: Console) -> None:
    """How often the likeliest value is right, beside what guessing reaches that never looks for anybody."""
    value, blind = found.most_common
    console.print(
        f"guessing each person's {column} from the rows that fit: {found.expected:.1%} right on average; "
        f"always saying {value!r}, without looking for anybody: {blind:.1%}",
        soft_wrap=True,
        markup=False,
        highlight=False,
    )


def _named(
    people: pa.Table, listed: PublicList, known: NDArray[np.bool_], value: Callable[[int], str]
) -> list[tuple[str, str]]:
    """The first people whose value is known, by name if there is one."""
    names = people[listed.name].to_pylist() if listed.name in people.column_names else None
    rows = np.flatnonzero(known)[: listed.show].tolist()
    return [(names[row] if names else f"row {row + 1}", value(row)) for row in rows]


def _grouped(release: Path, on: str | None, sensitive: str | None) -> tuple[pa.Table, list[str], str]:
    """A release, the columns that make its classes, and the sensitive one."""
    table = read_table(release, "release")
    column = sensitive_of(sensitive, table.column_names, columns_of(on, ()))
    return table, columns_of(on, [name for name in table.column_names if name != column]), column


def _matched(on: str | None, release: pa.Table, people: pa.Table) -> list[str]:
    """The columns that both have."""
    shared = columns_of(on, [column for column in release.column_names if column in people.column_names])
    if not shared:
        raise InvalidArgumentError(
            "on",
            "has no column: "
            f"the release has {', '.join(release.column_names)}, the list {', '.join(people.column_names)}",
        )
    return shared
