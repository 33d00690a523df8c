"""An analyst's share in the text of a policy: one number changes, and everything around it stays as it was written."""

from __future__ import annotations

import re

from deniable.core.errors import Refused
from deniable.core.number import Number, exact

_SECTION = re.compile(r"\s*\[\s*analysts\s*\.\s*(\"[^\"]*\"|'[^']*'|[\w-]+)\s*\]\s*(?:#.*)?\Z")
_EPSILON = re.compile(r"(\s*epsilon\s*=\s*)([^\s#]+)(.*)\Z")


def with_share(text: str, analyst: str, epsilon: Number) -> str:
    r"""The policy's text, in which the analyst's epsilon is another.

    Raises:
        Refused: the share does not stand in a section of its own, on a line of its own.

    Example:
        >>> print(with_share("[analysts.alice]\nepsilon = 1.0   # for the study", "alice", "1.5"))
        [analysts.alice]
        epsilon = 1.5   # for the study
    """
    number, lines, inside = exact("epsilon", epsilon), text.split("\n"), False
    for place, line in enumerate(lines):
        if line.lstrip().startswith("["):
            section = _SECTION.match(line)
            inside = section is not None and section[1].strip("\"'") == analyst
        elif inside and (found := _EPSILON.match(line)) is not None:
            lines[place] = f"{found[1]}{float(number):.12g}{found[3]}"
            return "\n".join(lines)
    raise Refused(
        "no-plain-share",
        f"The policy has no plain line for the share of {analyst!r}.",
        "Change the policy's text yourself, and adopt it.",
    )
