"""The peers of `benchmarks.anonymize`, each alone in an interpreter that has what it needs.

Run:  python benchmarks/anonymizers.py NAME TASK table.parquet

One line of JSON: {"cpu": seconds, "wall": seconds, "megabytes": peak, "ncp": loss, "reached": what it says or does}.
This file imports nothing of ours, so that a peer with other needs than ours can run it.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

K, L, T, SUPPRESSION = 5, 3, 0.2, 0.02
KNOWN = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass"]
SECRET = "occupation"  # noqa: S105 - a column


def main(name: str, task: str, path: str) -> None:
    """Import, run once, say what it took."""
    try:
        run, judge = {"anonypy": _anonypy, "anjana": _anjana, "pycanon": _pycanon}[name](task, path)
    except ImportError as error:
        print(json.dumps({"missing": str(error)}))
        return
    found = measured(run)
    print(line({key: value for key, value in found.items() if key != "result"} | judge(found["result"])))


def measured(run: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """What a run took, and what it said."""
    cpu, wall = time.process_time(), time.perf_counter()
    said = run()
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    status = Path("/proc/self/status").read_text().splitlines()
    peak = next(int(words.split()[1]) / 1024 for words in status if words.startswith("VmHWM"))
    return {"cpu": cpu, "wall": wall, "megabytes": peak} | said


def line(found: dict[str, Any]) -> str:
    """As JSON."""
    return json.dumps(found)


Contender = tuple[Callable[[], dict[str, Any]], Callable[[Any], dict[str, Any]]]


def _anonypy(task: str, path: str) -> Contender:
    """Its Mondrian. Texts are categories; ages are numbers."""
    import anonypy
    import pandas as pd

    frame = pd.read_parquet(path, columns=[*KNOWN, SECRET])
    frame["age"] = frame["age"].astype(int)
    for name in (*KNOWN, SECRET):
        if name != "age":
            frame[name] = frame[name].astype("category")
    widths = {name: max(1, frame[name].nunique() - 1) for name in KNOWN}
    widths["age"] = max(1, int(frame["age"].max() - frame["age"].min()))
    preserver = anonypy.Preserver(frame, KNOWN, SECRET)
    runs = {
        "k": lambda: preserver.anonymize_k_anonymity(k=K),
        "k+l": lambda: preserver.anonymize_l_diversity(k=K, l=L),
        "t": lambda: preserver.anonymize_t_closeness(k=K, p=T),
    }

    def judge(rows: list[dict[str, Any]]) -> dict[str, Any]:
        made = pd.DataFrame(rows)
        lost = sum(_span(made[name], name == "age") / widths[name] for name in KNOWN)
        ncp = float((lost * made["count"]).sum() / made["count"].sum() / len(KNOWN))
        return {"ncp": ncp, "reached": _reached(made.loc[made.index.repeat(made["count"].astype(int))])}

    return (lambda: {"result": runs[task]()}), judge


def _span(labels: Any, number: bool) -> Any:  # noqa: ANN401, FBT001 - a pandas column
    """How many other values, or how long a range, a label of anonypy stands for."""

    def one(label: Any) -> float:  # noqa: ANN401 - a text or a list with one
        text = label[0] if isinstance(label, list) else str(label)
        ends = text.split("-") if number else text.split(",")
        return abs(float(ends[-1]) - float(ends[0])) if number else len(ends) - 1

    return labels.map(one)


def _anjana(task: str, path: str) -> Contender:
    """Full-domain, by its own search; what it suppresses it leaves out."""
    import pandas as pd
    from anjana.anonymity import k_anonymity, l_diversity

    frame = pd.read_parquet(path, columns=[*KNOWN, SECRET]).astype(str)
    files = {
        name: pd.read_csv(Path(path).parent / f"hierarchy_{name}.csv", sep=";", header=None, dtype=str)
        for name in KNOWN
    }
    levels = {name: {level: files[name][level].to_numpy() for level in files[name]} for name in KNOWN}
    percent = 100 * SUPPRESSION
    runs = {
        "k": lambda: k_anonymity(frame, [], KNOWN, K, percent, levels),
        "k+l": lambda: l_diversity(frame, [], KNOWN, SECRET, K, L, percent, levels),
    }

    def judge(made: Any) -> dict[str, Any]:  # noqa: ANN401 - a frame
        lost = 0.0
        for name in KNOWN:
            there = files[name][files[name][0].isin(frame[name])]
            spans: dict[str, float] = {}
            for level in there:
                for label, count in there[level].value_counts().items():
                    spans[label] = max(spans.get(label, 0.0), (count - 1) / max(1, len(there) - 1))
            lost += made[name].astype(str).map(spans).sum() + (len(frame) - len(made))
        return {"ncp": float(lost / len(frame) / len(KNOWN)), "reached": _reached(made)}

    return (lambda: {"result": runs[task]()}), judge


def _pycanon(task: str, path: str) -> Contender:
    """Checks a table that is k-anonymous already."""
    import pandas as pd
    from pycanon import anonymity

    del task
    frame = pd.read_parquet(Path(path).parent / f"released-{Path(path).name}").astype(str)

    def run() -> dict[str, Any]:
        return {
            "result": [
                anonymity.k_anonymity(frame, KNOWN),
                anonymity.l_diversity(frame, KNOWN, [SECRET]),
                anonymity.t_closeness(frame, KNOWN, [SECRET]),
            ]
        }

    return run, lambda found: {"reached": [round(float(number), 3) for number in found]}


def _reached(made: Any) -> str:  # noqa: ANN401 - a frame
    """k, l and t of a frame, by hand."""
    import pandas as pd

    keys = made[KNOWN].astype(str).agg("|".join, axis=1)
    shares = pd.crosstab(keys, made[SECRET].astype(str), normalize="index")
    overall = made[SECRET].astype(str).value_counts(normalize=True)
    distance = (shares - overall.reindex(shares.columns)).abs().sum(axis=1).max() / 2
    return f"k {keys.value_counts().min()}, l {int((shares > 0).sum(axis=1).min())}, t {distance:.3f}"


if __name__ == "__main__":
    main(*sys.argv[1:])
