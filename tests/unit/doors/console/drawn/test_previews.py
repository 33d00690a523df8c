"""A preview shows what the size of a group changes, and nothing else."""

import pyarrow as pa

from deniable.curator import protect
from deniable.doors.console.drawn.previews import previewed


def test_only_what_depends_on_the_size_of_a_group_has_rows_by_size():
    rows = pa.table({"gain": [-1, 0, 1] * 100})
    with protect(rows, epsilon=1, bounds={"gain": (-1, 1)}) as opened:
        quote = opened.explain("SELECT SUM(gain) AS s, COUNT(*) AS n, AVG(gain) AS a FROM data", epsilon=0.5)
    assert previewed(quote).columns == ("n", "a")
    assert {len(cells) for _, cells in previewed(quote).rows} == {2}
