"""Trees of names, from a CSV file or a dictionary, checked to be trees."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

from deniable.core.errors import InvalidArgumentError
from deniable.releases.syntactic.hierarchies.values import STAR, text_of

Label = str | None
Path_ = tuple[Label, ...]
_DEEPEST = 64


def paths_of(source: str | Path | Mapping[Any, Any]) -> dict[Label, Path_]:
    """For each value the names above it, from fine to coarse, all equally many, without the last '*'."""
    lines = _from_dictionary(source) if isinstance(source, Mapping) else _from_file(Path(source))
    depth = max((len(line) for line in lines), default=0)
    paths: dict[Label, Path_] = {}
    for value, *above in lines:
        # a short branch stays as fine as it is until the others have caught up
        path = (*[value] * (depth - 1 - len(above)), *above)
        if paths.setdefault(value, path) != path:
            raise InvalidArgumentError("tree", f"lists {value!r} twice, in different places")
    if not paths:
        raise InvalidArgumentError("tree", "is empty; write one line for each value")
    _check(paths)
    return _without_star(paths)


def _from_file(path: Path) -> list[list[Label]]:
    """A line for each value: the value, then ever coarser names; by semicolons, commas or tabs. Empty is NULL."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InvalidArgumentError("tree", f"cannot be read from {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InvalidArgumentError("tree", f"in {path} is not UTF-8 text") from None
    first = text.split("\n", 1)[0]
    delimiter = max(";,\t", key=first.count)
    rows = [
        [cell.strip() or None for cell in row]
        for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
        if row
    ]
    if len({len(row) for row in rows}) > 1:
        uneven = next(row for row in rows if len(row) != len(rows[0]))
        raise InvalidArgumentError(
            "tree", f"in {path} has {len(rows[0])} columns, but not on the line of {uneven[0]!r}"
        )
    return rows


def _from_dictionary(source: Mapping[Any, Any]) -> list[list[Label]]:
    """Nested, or from each name to the one above it."""
    if source and all(isinstance(above, str) for above in source.values()):
        return _from_parents({text_of(name): above for name, above in source.items()})
    return list(_branches(source, (), ()))


def _branches(node: Any, above: Path_, within: tuple[int, ...]) -> Iterable[list[Label]]:  # noqa: ANN401 - any nesting
    """The leaves below a node, each with its names above."""
    if id(node) in within or len(within) > _DEEPEST:
        raise InvalidArgumentError("tree", f"is cyclic: {above[0]!r} contains itself")
    if isinstance(node, Mapping):
        for name, inner in node.items():
            yield from _branches(inner, (text_of(name), *above), (*within, id(node)))
    elif isinstance(node, Iterable) and not isinstance(node, str):
        yield from ([None if leaf is None else text_of(leaf), *above] for leaf in node)
    else:
        yield [None if node is None else text_of(node), *above]


def _from_parents(parents: Mapping[str, str]) -> list[list[Label]]:
    """Leaves are the names that stand above nothing."""
    lines = []
    for leaf in [name for name in parents if name not in set(parents.values())] or list(parents)[:1]:
        line: list[Label] = [leaf]
        while (name := line[-1]) in parents and name is not None:
            if parents[name] in line:
                raise InvalidArgumentError("tree", f"is cyclic: {parents[name]!r} lies above itself")
            line.append(parents[name])
        lines.append(line)
    return lines


def _check(paths: Mapping[Label, Path_]) -> None:
    """Every name has one name above it, and none lies above itself."""
    above: dict[tuple[int, Label], Label] = {}
    over: dict[Label, set[Label]] = {}
    for value, path in paths.items():
        line = (value, *path)
        for level, (fine, coarse) in enumerate(pairwise(line)):
            if above.setdefault((level, fine), coarse) != coarse:
                raise InvalidArgumentError(
                    "tree", f"is no tree: {fine!r} lies below {above[level, fine]!r} and below {coarse!r}"
                )
            if fine != coarse:
                over.setdefault(fine, set()).add(coarse)
    for name, next_ones in over.items():
        reached, waiting = set[Label](), list(next_ones)
        while waiting:
            higher = waiting.pop()
            if higher not in reached:
                reached.add(higher)
                waiting.extend(over.get(higher, ()))
        if name in reached:
            raise InvalidArgumentError("tree", f"is cyclic: {name!r} lies above itself")


def _without_star(paths: dict[Label, Path_]) -> dict[Label, Path_]:
    """Above every tree stands '*' anyhow."""
    while all(path and path[-1] == STAR for path in paths.values()):
        paths = {value: path[:-1] for value, path in paths.items()}
    return paths
