"""What a curator shows of itself."""

import pyarrow as pa

import deniable


def test_a_curator_is_one_line_wherever_it_is_shown():
    with deniable.protect(pa.table({"age": [31, 47]}), epsilon="0.5", name="people") as curator:
        assert repr(curator) == "<Curator of people: tables people; budget epsilon 0.5>"
