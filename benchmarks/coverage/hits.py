"""ClickBench's table of hits, made up in NumPy, and a policy that protects its users."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from deniable.core.algebra.expression import Kind

SEED, USERS, ROWS = 2, 4_000, 60_000
PHRASES = ["", "", "", "weather", "google maps", "cheap flights", "bus", "recipes", "news", "films"]
PHONES = ["", "", "iPad", "iPhone 2", "Nokia", "A500"]
SITES = [
    f"http://{host}/page/{number}" for host in ("www.google.com", "example.org", "shop.net") for number in range(5)
]
HASHES = [2868770270353813622, 3594120000172545465, 7, 8, 9]
TIMES = hasattr(Kind, "TIMESTAMP")
"""Whether policies can declare times of the day."""


def tables() -> dict[str, pa.Table]:
    """About fifteen hits of each user, in July 2013."""
    chance = np.random.default_rng(SEED)
    moment = np.datetime64("2013-07-01T00:00:00") + chance.integers(0, 31 * 86_400, ROWS).astype("timedelta64[s]")

    def some(values: list[Any]) -> Any:  # noqa: ANN401 - texts or numbers
        return chance.choice(np.array(values), ROWS)

    return {
        "hits": pa.table(
            {
                "WatchID": chance.integers(0, 1 << 60, ROWS),
                "Title": some(["Google search", "Home", "News", ""]),
                "EventTime": moment if TIMES else moment.astype("datetime64[D]"),
                "EventDate": moment.astype("datetime64[D]"),
                "CounterID": some([62, 62, 62, 38, 1]),
                "ClientIP": chance.integers(0, 500, ROWS),
                "RegionID": chance.integers(1, 40, ROWS),
                "UserID": chance.integers(0, USERS, ROWS),
                "URL": some([*SITES, ""]),
                "Referer": some([*SITES, ""]),
                "IsRefresh": some([0, 0, 0, 1]),
                "ResolutionWidth": some([0, 1024, 1366, 1920]),
                "MobilePhone": some([0, 1, 6]),
                "MobilePhoneModel": some(PHONES),
                "SearchEngineID": some([0, 0, 2, 3]),
                "SearchPhrase": some(PHRASES),
                "AdvEngineID": some([0, 0, 0, 0, 2, 13, 52]),
                "TraficSourceID": some([-1, 0, 2, 6]),
                "DontCountHits": some([0, 0, 1]),
                "IsLink": some([0, 1]),
                "IsDownload": some([0, 0, 0, 1]),
                "URLHash": some(HASHES),
                "RefererHash": some(HASHES),
                "WindowClientWidth": some([800, 1024]),
                "WindowClientHeight": some([600, 768]),
            }
        )
    }


def _whole(low: int, high: int) -> dict[str, Any]:
    return {"type": "integer", "bounds": [low, high], "nulls": False}


_FLAG, _NUMBER, _TEXT = _whole(0, 1), {"type": "integer", "nulls": False}, {"type": "text", "nulls": False}
_TIME = {"type": "timestamp", "bounds": ["2013-07-01T00:00:00", "2013-07-31T23:59:59"], "nulls": False}
_DAY = {"type": "date", "bounds": ["2013-07-01", "2013-07-31"], "nulls": False}
RULES: dict[str, dict[str, Any]] = {"hits": {"unit": "UserID", "contribution": 60}}
COLUMNS: dict[str, dict[str, dict[str, Any]]] = {
    "hits": {
        **dict.fromkeys(("WatchID", "UserID", "URLHash", "RefererHash", "ClientIP"), _NUMBER),
        **dict.fromkeys(("Title", "URL", "Referer", "MobilePhoneModel", "SearchPhrase"), _TEXT),
        **dict.fromkeys(("IsRefresh", "DontCountHits", "IsLink", "IsDownload"), _FLAG),
        "EventTime": _TIME if TIMES else _DAY,
        "EventDate": _DAY,
        "CounterID": _whole(0, 100),
        "RegionID": _whole(0, 50),
        "ResolutionWidth": _whole(0, 4_000),
        "MobilePhone": _whole(0, 10),
        "SearchEngineID": _whole(0, 10),
        "AdvEngineID": _whole(0, 60),
        "TraficSourceID": _whole(-1, 10),
        "WindowClientWidth": _whole(0, 4_000),
        "WindowClientHeight": _whole(0, 4_000),
    }
}

REASONS = {
    "q3": "an average of numbers that name people",
    **{f"q{number}": "each group is one user" for number in (15, 16, 17, 18)},
    "q19": "shows single rows",
    "q21": "shows an address that one row holds",
    "q22": "shows an address that one row holds",
    **{f"q{number}": "shows single rows" for number in (23, 24, 25, 26)},
    "q28": "shows an address that one row holds",
    **{f"q{number}": "each group is one hit" for number in (31, 32)},
}
"""What no noise could answer as it is written, and why."""
