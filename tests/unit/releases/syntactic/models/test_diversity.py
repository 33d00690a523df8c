"""Models at their very limit: two classes that fail by the least there is, and hold once they are one."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from deniable.releases import Distinct, Entropy, Equal, Recursive, anonymize, check

LIMITS: dict[str, tuple[dict[str, Any], str, str]] = {
    "k": ({"k": 3}, "xy", "xy"),
    "distinct": ({"l": Distinct(2)}, "xx", "yy"),
    "distinct 3": ({"l": Distinct(3)}, "xyxy", "zxzx"),
    "entropy": ({"l": Entropy(2)}, "xxxy", "xyyy"),
    "recursive, as many as the rest": ({"l": Recursive(2, 1)}, "xxyy", "zzww"),
    "recursive, one more": ({"l": Recursive(2, 1)}, "xxxyy", "zzzww"),
    "closeness": ({"t": Equal("0.06")}, "xxxyy", "xxyyy"),
}


@pytest.mark.parametrize("method", ["optimal", "local"])
@pytest.mark.parametrize("name", LIMITS)
def test_what_fails_by_little_fails(name: str, method: str) -> None:
    demands, one, other = LIMITS[name]
    table = pa.table({"town": ["a"] * len(one) + ["b"] * len(other), "secret": list(one + other)})
    assert not check(table, quasi_identifiers=["town"], sensitive="secret", **demands)
    released = anonymize(table, quasi_identifiers={"town": None}, sensitive="secret", method=method, **demands)
    assert set(released.table["town"].to_pylist()) == {"*"}
    assert check(released.table, quasi_identifiers=["town"], sensitive="secret", **demands)
