"""A policy from its file."""

from __future__ import annotations

import re
import tomllib
from decimal import Context, Decimal
from pathlib import Path

from deniable.policy.policy import Policy, read_policy
from deniable.policy.problems import InvalidPolicyError, Problem
from deniable.policy.section import Section
from deniable.policy.settings import require_disk

_PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


def load(path: str | Path) -> Policy:
    """The policy that a TOML file declares. Reads that file and nothing else.

    Raises:
        InvalidPolicyError: with every problem that was found.
    """
    origin = str(path)
    return loads(_read(origin, "a policy file, such as clinic.toml"), origin)


def loads(text: str, origin: str) -> Policy:
    """The policy that a text declares which stands, or is about to stand, in the file `origin`. Raises as `load`."""
    root = Section(_parse(origin, text))
    for table in root.inner("tables").each().values():
        table.require("source", 'source = "visits.parquet", a file beside the policy')
    require_disk(root.inner("ledger"))
    file = Path(origin).resolve()  # by whatever link it was found, its ledger is the same
    return read_policy(root, origin, file.parent, file.stem)


def read_toml(origin: str, wanted: str) -> Section:
    """A TOML file as a section; `wanted` says in words which file should have been named."""
    return Section(_parse(origin, _read(origin, wanted)))


def _read(origin: str, wanted: str) -> str:
    """The file's text."""
    try:
        return Path(origin).read_text(encoding="utf-8-sig")
    except OSError as error:
        problem = Problem("", f"cannot be read: {error.strerror}", f"name {wanted}")
    except UnicodeDecodeError as error:
        problem = Problem("", f"is not UTF-8 text, at byte {error.start + 1}", "save it as UTF-8")
    except ValueError:
        problem = Problem("", "cannot be the name of a file", f"name {wanted}")
    raise InvalidPolicyError(origin, [problem])


def _parse(origin: str, text: str) -> dict[str, object]:
    """The TOML. Decimals are kept as they are written: 0.1 is one tenth."""
    try:
        return tomllib.loads(text, parse_float=_decimal)
    except tomllib.TOMLDecodeError as error:
        place = _PLACE.search(str(error))
        line, column = (place and place.groups()) or (None, None)
        end = (text.count("\n") + 1, len(text) - text.rfind("\n"))
        where = f"line {line or end[0]}, column {column or end[1]}"
        problem = Problem(
            where, f"is not TOML: {_PLACE.sub('', str(error))}", "see https://toml.io for how it is written"
        )
    except (ValueError, RecursionError):
        problem = Problem("", "has a number or a list that is far too long", "write it shorter")
    raise InvalidPolicyError(origin, [problem])


def _decimal(text: str) -> Decimal:
    """The decimal; not a number if its exponent is beyond all measure, which is then found wrong where it stands."""
    return Decimal(text, Context(traps=[]))
