"""Examples end where they end: the empty line before a closing fence is there for doctest, and not for readers."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform


def setup(app: Sphinx) -> dict[str, bool]:
    """What Sphinx calls."""
    app.add_transform(TrimmedCode)
    return {"parallel_read_safe": True}


class TrimmedCode(SphinxTransform):
    """Takes empty lines off the end of every block of code."""

    default_priority = 210

    def apply(self, **_: Any) -> None:  # noqa: ANN401 - as Sphinx has it
        """A block is one text; highlighting comes later, from `rawsource`."""
        for block in self.document.findall(nodes.literal_block):
            if block.rawsource == block.astext():
                block.rawsource = block.astext().rstrip("\n")
                block.children = []
                block.append(nodes.Text(block.rawsource))
