"""Small tables for every test of this room."""

from __future__ import annotations

import pyarrow as pa
from hypothesis import strategies as st

from deniable.releases import hierarchy

LETTERS = {letter: [letter, (letter in "ab" and "ab") or "cd", "*"] for letter in "abcd"}
NUMBERS = {
    number: [str(number), f"{number // 2 * 2}-{number // 2 * 2 + 1}", f"{number // 4 * 4}-{number // 4 * 4 + 3}", "*"]
    for number in range(8)
}
SEXES = {sex: [sex, "*"] for sex in "mf"}
NAMES = (LETTERS, NUMBERS, SEXES)

TREES = {
    "letter": hierarchy.tree({"ab": ["a", "b"], "cd": ["c", "d"]}),
    "number": hierarchy.tree(
        {f"{low}-{low + 3}": {f"{at}-{at + 1}": [at, at + 1] for at in (low, low + 2)} for low in (0, 4)}
    ),
    "sex": None,
}

records = st.lists(
    st.tuples(st.sampled_from("abcd"), st.integers(0, 7), st.sampled_from("mf"), st.integers(1, 4)),
    min_size=1,
    max_size=24,
)

balanced = st.lists(
    st.tuples(
        st.tuples(st.sampled_from("ab"), st.integers(0, 2), st.just("m")),
        st.sampled_from(
            [(1, 1, 0), (2, 2, 0), (3, 3, 0), (1, 1, 1), (2, 2, 2), (1, 0, 0), (3, 0, 0), (4, 1, 0), (1, 2, 3)]
        ),
    ),
    min_size=1,
    max_size=5,
).map(
    lambda blocks: [
        (*cell, secret) for cell, counts in blocks for secret, count in enumerate(counts, 1) for _ in range(count)
    ]
)
"""Tables in which some classes are much like the whole and others are not: there suppression is not monotone."""


def table_of(rows: list[tuple]) -> pa.Table:
    letters, numbers, sexes, secrets = zip(*rows, strict=True)
    return pa.table({"letter": letters, "number": numbers, "sex": sexes, "secret": secrets})
