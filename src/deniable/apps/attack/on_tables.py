"""`deniable attack`: attacks on published tables, made up or from files."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Annotated

import numpy as np
import pyarrow as pa
import typer
from rich.console import Console
from rich.table import Table

from deniable.apps.attack.files import columns_of, read_table, sensitive_of
from deniable.apps.attack.options import Defence, Epsilon, On, Plot, Public, Seed, Sensitive
from deniable.apps.attack.show import fight, show_counts, show_people
from deniable.attacks import Background, Composition, Homogeneity, Linkage, Skewness, Uniqueness
from deniable.attacks.classes import PublishedClasses, require
from deniable.attacks.on_tables.composition import compose
from deniable.attacks.on_tables.homogeneity import exposed_rows
from deniable.attacks.on_tables.linkage import link
from deniable.attacks.on_tables.skewness import worst_class
from deniable.attacks.on_tables.uniqueness import group_sizes
from deniable.core.errors import InvalidArgumentError

Release = Annotated[Path | None, typer.Argument(help="A published table (CSV or Parquet); made-up people without it.")]
Size = Annotated[int, typer.Option("--n", help="How many made-up people.")]
Shown = Annotated[int, typer.Option("--show", help="How many people to list.")]
_MOST_COLUMNS = 6


def linkage(
    release: Release = None,
    public: Public = None,
    on: On = None,
    sensitive: Sensitive = None,
    name: Annotated[str, typer.Option(help="The public list's column with the names.")] = "name",
    show: Shown = 10,
    n: Size = 1000,
    defence: Defence = None,
    epsilon: Epsilon = "1",
    seed: Seed = None,
    plot: Plot = None,
) -> None:
    """Join a public list with names to a table without."""
    if release is None:
        fight(Linkage(n), defence, epsilon, seed, plot)
        return
    if public is None:
        raise InvalidArgumentError("public", "is needed: name the list with names by --public")
    table, people = read_table(release, "release"), read_table(public, "public list")
    shared = _matched(on, table, people)
    column = sensitive_of(sensitive, table.column_names, shared)
    found = link(table, people, shared, column)
    total = people.num_rows
    console = Console()
    show_counts(
        f"{release} joined with {public} on {', '.join(shared)}",
        {
            "people on the list": (total, None),
            "just one row fits": (int(found.identified.sum()), total),
            f"just one {column} is left": (int(found.exposed.sum()), total),
            "no row fits": (int((found.rows == 0).sum()), total),
        },
        console,
    )
    names = people[name].to_pylist() if name in people.column_names else [f"row {row + 1}" for row in range(total)]
    exposed = np.flatnonzero(found.exposed)[:show].tolist()
    show_people([(names[person], found.value(person)) for person in exposed], column, console)


def uniqueness(
    release: Release = None,
    on: On = None,
    n: Size = 50_000,
    defence: Defence = None,
    epsilon: Epsilon = "1",
    seed: Seed = None,
    plot: Plot = None,
) -> None:
    """How many people a few columns name."""
    if release is None:
        fight(Uniqueness(n), defence, epsilon, seed, plot)
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


def homogeneity(
    release: Release = None,
    on: On = None,
    sensitive: Sensitive = None,
    categories: Annotated[Path | None, typer.Option(help="A file with columns value and category.")] = None,
    n: Size = 1000,
    defence: Defence = None,
    epsilon: Epsilon = "1",
    seed: Seed = None,
    plot: Plot = None,
) -> None:
    """Read what all rows of a class have in common."""
    if release is None:
        fight(Homogeneity(n), defence, epsilon, seed, plot)
        return
    table, columns, column = _grouped(release, on, sensitive)
    classes = PublishedClasses.of(table, columns, column)
    lines = {
        "rows": (table.num_rows, None),
        "classes": (len(classes.cells), None),
        "smallest class (k)": (int(classes.sizes.min()), None),
        f"fewest values of {column} in a class (l)": (int((classes.weights > 0).sum(axis=1).min()), None),
        f"rows whose class has one {column}": (int(exposed_rows(table, columns, column).sum()), table.num_rows),
    }
    if categories is not None:
        known = read_table(categories, "categories")
        require(known, ["value", "category"], "categories")
        meant = dict(zip(known["value"].to_pylist(), known["category"].to_pylist(), strict=True))
        similar = exposed_rows(table, columns, column, meant)
        lines["rows whose class has one category"] = (int(similar.sum()), table.num_rows)
    show_counts(f"{release}, classes by {', '.join(columns)}", lines, Console())


def background(
    release: Release = None,
    on: On = None,
    sensitive: Sensitive = None,
    ruled_out: Annotated[list[str], typer.Option("--not", help="A value that is ruled out; may be repeated.")] = [],  # noqa: B006 - Typer reads it
    n: Size = 1000,
    known: Annotated[int, typer.Option(help="Diseases of made-up people that are ruled out.")] = 6,
    defence: Defence = None,
    epsilon: Epsilon = "1",
    seed: Seed = None,
    plot: Plot = None,
) -> None:
    """Strike out what is known not to be, and read what is left of the class."""
    if release is None:
        fight(Background(n, known), defence, epsilon, seed, plot)
        return
    table, columns, column = _grouped(release, on, sensitive)
    classes = PublishedClasses.of(table, columns, column)
    for value in ruled_out:
        if value not in classes.values:
            raise InvalidArgumentError("not", f"{value!r} is no {column}; there are: {', '.join(classes.values)}")
    left = classes.weights * np.array([value not in ruled_out for value in classes.values])
    before, after = (((weights > 0).sum(axis=1) == 1)[classes.row] for weights in (classes.weights, left))
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


def skewness(
    release: Release = None,
    on: On = None,
    sensitive: Sensitive = None,
    n: Size = 2000,
    rate: Annotated[float, typer.Option(help="How many of the made-up people are infected.")] = 0.02,
    defence: Defence = None,
    epsilon: Epsilon = "1",
    seed: Seed = None,
    plot: Plot = None,
) -> None:
    """Find the class in which a rare value is frequent."""
    if release is None:
        fight(Skewness(n, rate), defence, epsilon, seed, plot)
        return
    table, columns, column = _grouped(release, on, sensitive)
    shown = Table(title=f"{release}: how far a belief moves", title_justify="left", header_style="bold")
    for heading in (column, "in all rows", "in the worst class"):
        shown.add_column(heading, justify="left" if heading == column else "right")
    for value in PublishedClasses.of(table, columns, column).values:
        most, overall = worst_class(table, columns, column, value)
        shown.add_row(value, f"{overall:.1%}", f"{most:.1%}")
    Console().print(shown)


def composition(
    release: Release = None,
    other: Annotated[Path | None, typer.Argument(help="A second table about some of the same people.")] = None,
    public: Public = None,
    on: On = None,
    sensitive: Sensitive = None,
    name: Annotated[str, typer.Option(help="The public list's column with the names.")] = "name",
    show: Shown = 10,
    n: Size = 1000,
    defence: Defence = None,
    epsilon: Epsilon = "1",
    seed: Seed = None,
    plot: Plot = None,
) -> None:
    """Intersect two tables about the same person."""
    if release is None:
        fight(Composition(n), defence, epsilon, seed, plot)
        return
    if other is None:
        raise InvalidArgumentError("other", "is needed: name two releases")
    first, second = read_table(release, "first release"), read_table(other, "second release")
    people = None if public is None else read_table(public, "public list")
    both = [column for column in first.column_names if column in second.column_names]
    listed = both if people is None else people.column_names
    column = sensitive_of(sensitive, both, columns_of(on, listed if people is not None else ()))
    matched = columns_of(on, [candidate for candidate in both if candidate in listed and candidate != column])
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
        names = people[name].to_pylist() if name in people.column_names else [f"row {row + 1}" for row in range(total)]
        chosen = np.flatnonzero(found.left == 1)[:show].tolist()
        show_people([(names[person], found.value(person)) for person in chosen], column, console)


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
