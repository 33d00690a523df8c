"""How far a release is: a bar on the terminal's other channel, so that what is printed stays as it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn


@contextmanager
def steps(total: int) -> Iterator[Callable[[str], None]]:
    """A bar of so many steps; each call names the one that begins. It is gone at the end."""
    columns = (BarColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=total)
        yield lambda name: bar.update(task, description=name, advance=1)
