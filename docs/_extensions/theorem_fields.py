"""Docstrings become reStructuredText: their labels (Input, Guarantee, Error, Proof, ...) as fields.

Our docstrings are plain text for people who read the code: words in single backticks are code, an aligned block per
label, an example at the end. Everything else is escaped, so that `|x|` and `2 * b` stay what they are.
"""

from __future__ import annotations

import re
from typing import Any

from sphinx.application import Sphinx

_LABEL = re.compile(r"^([A-Z][a-z]+(?: [a-z]+)?):(?:\s+(\S.*))?$")
_CODE = re.compile(r"(`+)([^`]+)\1|\bdocs/([a-z_/]+)\.md\b")
"""Code in backticks, or a page that is named by its path."""
_SPECIAL = re.compile(r"([\\*|_])")


def setup(app: Sphinx) -> dict[str, bool]:
    """What Sphinx calls."""
    app.connect("autodoc-process-docstring", _process)
    return {"parallel_read_safe": True}


def _process(_app: Sphinx, _what: str, _name: str, _obj: Any, _options: Any, lines: list[str]) -> None:  # noqa: ANN401
    lines[:] = as_fields(lines)


def as_fields(lines: list[str]) -> list[str]:
    """The docstring, as a first paragraph, fields, and examples.

    Example:
        >>> as_fields(["Adds |x|.", "", "Input:  whole numbers;", "        their distance."])[2:]
        [':Input: whole numbers;', '    their distance.']
    """
    made: list[str] = []
    indent, in_field, in_example = 0, False, False
    for line in lines:
        text = line.strip()
        if not text:
            made.append("")
            in_example = False
            continue
        depth = len(line) - len(line.lstrip())
        label = _LABEL.match(line) if depth == 0 else None
        if label:
            if made and made[-1] and not in_field:
                made.append("")
            in_field, indent = True, 0
            made.append(f":{label[1]}: {_escape(label[2] or '')}".rstrip())
        elif text.startswith((">>>", "...")) or in_example:
            if not in_example and made and made[-1]:
                made.append("")
            in_example = True
            indent = indent or depth
            made.append("    " * in_field + line[min(depth, indent) :])
        elif in_field and depth:
            made.append("    " + _escape(text))
        else:
            if in_field and made and made[-1]:
                made.append("")
            in_field = False
            made.append(line[:depth] + _escape(text))
    return made


def _escape(text: str) -> str:
    """Code as it is, pages as links, and nothing else that reStructuredText would take for a sign of its own."""
    parts, end = [], 0
    for code in _CODE.finditer(text):
        kept = f":doc:`/{code[3]}`" if code[3] else f"``{code[2]}``"
        parts += [_SPECIAL.sub(r"\\\1", text[end : code.start()]), kept]
        end = code.end()
    return "".join([*parts, _SPECIAL.sub(r"\\\1", text[end:]).replace("`", r"\`")])
