"""What to ask of a release, from a TOML file: the same words as the arguments of `anonymize`."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from decimal import Decimal, InvalidOperation
from functools import partial
from pathlib import Path
from typing import Any

from deniable.core.errors import InvalidArgumentError
from deniable.policy import InvalidPolicyError
from deniable.policy.problems import Problem, closest
from deniable.releases.syntactic.hierarchies import hierarchy
from deniable.releases.syntactic.hierarchies.kinds import Hierarchy
from deniable.releases.syntactic.models.closeness import Equal, Hierarchical, Ordered
from deniable.releases.syntactic.models.diversity import Distinct, Entropy, PrivacyModel, Recursive

_ASKED = ("k", "l", "t", "suppression", "method", "loss", "keep", "population")
_HIERARCHIES = ("mask", "interval", "cuts", "date", "tree")
_MODELS = ("distinct", "entropy", "recursive", "equal", "ordered", "hierarchical")


def load(path: str | Path) -> dict[str, Any]:
    """The arguments that a file holds. Trees are found beside the file.

    Raises:
        InvalidPolicyError: with every problem that was found.
    """
    file = Path(path)
    return read_settings(_parsed(file), file.parent, str(path))


def read_settings(data: Mapping[str, Any], folder: Path = Path(), origin: str = "settings") -> dict[str, Any]:
    """Settings from what such a file says; trees are found in `folder`. Raises as `load`."""
    problems: list[Problem] = []
    known = (*_ASKED, "quasi_identifiers", "sensitive")
    problems += [_unknown(key, key, known) for key in data if key not in known]
    given = {key: data[key] for key in _ASKED if key in data}
    for key, read in (("quasi_identifiers", _hierarchy), ("sensitive", _models)):
        section = data.get(key, {})
        if not isinstance(section, Mapping):
            problems.append(Problem(key, "must be a table", f"write [{key}] and a line for each column below it"))
            continue
        given[key] = {
            name: _read(problems, f"{key}.{name}", partial(read, value, folder)) for name, value in section.items()
        }
    if problems:
        raise InvalidPolicyError(origin, problems)
    return given


def _parsed(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8-sig"), parse_float=Decimal)
    except OSError as error:
        problem = Problem("", f"cannot be read: {error.strerror}", "name a file such as anonymize.toml")
    except UnicodeDecodeError:
        problem = Problem("", "is not UTF-8 text", "save it as UTF-8")
    except (tomllib.TOMLDecodeError, InvalidOperation, ValueError) as error:
        problem = Problem("", f"is not TOML: {error}", "see https://toml.io for how it is written")
    raise InvalidPolicyError(str(file), [problem])


def _read(problems: list[Problem], place: str, read: Callable[[], Any]) -> Any:  # noqa: ANN401 - what the reader reads
    """What is read, or None and a problem."""
    try:
        return read()
    except InvalidArgumentError as error:
        problems.append(Problem(place, str(error), "see the page on anonymizing tables"))
    except (TypeError, ValueError) as error:
        problems.append(Problem(place, f"cannot be understood: {error}", "see the page on anonymizing tables"))
    return None


def _hierarchy(given: Any, folder: Path) -> Hierarchy:  # noqa: ANN401 - what TOML holds
    """{ mask = 5 }, { interval = [5, 10] }, { cuts = [[30, 40]] }, { date = ["month"] }, { tree = "file.csv" }, {}."""
    settings = _table(given, (*_HIERARCHIES, "origin", "at_most"))
    if len(set(settings) - {"origin", "at_most"}) > 1:
        raise InvalidArgumentError("hierarchy", "must be one of them, not several")
    made = _made(settings, folder)
    return made.at_most(settings["at_most"]) if "at_most" in settings else made


def _made(settings: Mapping[str, Any], folder: Path) -> Hierarchy:
    """By the one key that says which."""
    if "mask" in settings:
        return hierarchy.mask(settings["mask"])
    if "interval" in settings:
        return hierarchy.interval(*settings["interval"], origin=settings.get("origin", 0))
    if "cuts" in settings:
        return hierarchy.cuts(*settings["cuts"])
    if "date" in settings:
        return hierarchy.date(*settings["date"])
    return hierarchy.tree(folder / settings["tree"]) if "tree" in settings else hierarchy.flat()


def _models(given: Any, folder: Path) -> list[PrivacyModel]:  # noqa: ANN401 - same
    """{}, { entropy = 3 }, { recursive = 3, c = 2 }, { ordered = 0.2 }, { hierarchical = 0.2, tree = "file.csv" }."""
    settings = _table(given, (*_MODELS, "c", "order", "tree"))
    makers: dict[str, Callable[[Any], PrivacyModel]] = {
        "distinct": Distinct,
        "entropy": Entropy,
        "recursive": lambda l: Recursive(l, settings.get("c", 1)),
        "equal": Equal,
        "ordered": lambda t: Ordered(t, settings.get("order")),
        "hierarchical": lambda t: Hierarchical(t, hierarchy.tree(folder / str(settings.get("tree", "")))),
    }
    return [makers[name](settings[name]) for name in _MODELS if name in settings]


def _table(given: Any, known: tuple[str, ...]) -> Mapping[str, Any]:  # noqa: ANN401 - same
    if not isinstance(given, Mapping):
        raise InvalidArgumentError("it", f"must be a table such as {{ {known[0]} = 5 }}, or {{}}")
    for key in given:
        if key not in known:
            raise InvalidArgumentError(
                repr(key), f"is not a key here; {closest(key, known)}they are {', '.join(known)}"
            )
    return given


def _unknown(place: str, key: str, known: tuple[str, ...]) -> Problem:
    return Problem(place, "is not a key here", f"{closest(key, known)}the keys here are: {', '.join(known)}")
