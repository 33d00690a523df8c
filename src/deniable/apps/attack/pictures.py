"""The pictures of docs/attacks: `python -m deniable.apps.attack.pictures docs/attacks`."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from deniable.apps.attack.lecture import CHAPTERS
from deniable.apps.attack.svg import draw

SEED = 1
"""Of the made-up people; the same as the tour's, unless told otherwise."""


def paint(folder: Path) -> list[Path]:
    """For each attack the first picture of its classic victim, and of the defence that stops it."""
    written = []
    attacks = {stop.attack.name: stop.attack for chapter in CHAPTERS for stop in chapter.stops}
    for attack in attacks.values():
        pair = {
            role: attack.against_named(defence, 1, np.random.default_rng(SEED)).pictures[0]
            for role, defence in (("victim", attack.victim), ("stopped", attack.saviour))
        }
        for role, picture in pair.items():
            path = folder / f"{attack.name}-{role}.svg"
            path.write_text(draw(picture, list(pair.values())), encoding="utf-8")
            written.append(path)
    return written


if __name__ == "__main__":
    paint(Path(sys.argv[1]))
