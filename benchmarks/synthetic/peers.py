"""Other synthesizers, each alone in an interpreter that has what it needs.

Run:  python benchmarks/synthetic/peers.py NAME table.npz EPSILON made.npz

One line of JSON: {"cpu": seconds, "rss_mb": the most memory}, or {"missing": why}. This file imports nothing of ours,
so that a peer with other needs than ours can run it. What a peer has no public mechanism for (mbi ships the inference,
and not the measurements) is done here as its authors published it.
"""

from __future__ import annotations

import itertools
import json
import os
import resource
import sys
import warnings
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

DELTA = 1e-9
Columns = dict[str, np.ndarray]
Sizes = dict[str, int]


def main(name: str, path: str, epsilon: str, out: str) -> None:
    """One run."""
    warnings.simplefilter("ignore")
    with np.load(path) as file:
        header, codes = file["header"], file["codes"]
    columns = {str(line[0]): column.astype(np.int64) for line, column in zip(header, codes, strict=True)}
    sizes = {str(line[0]): int(line[1]) for line in header}
    try:
        run = PEERS[name]()
    except ImportError as error:
        print(json.dumps({"missing": str(error)}))
        return
    before = _cpu()
    made = run(columns, sizes, float(epsilon))
    spent = _cpu() - before
    np.savez(out, codes=np.stack([np.clip(made[key], 0, sizes[key] - 1).astype(np.int64) for key in columns]))
    print(json.dumps({"cpu": spent, "rss_mb": _peak()}))


def _mbi_mst() -> Callable[[Columns, Sizes, float], Columns]:
    """MST (McKenna, Miklau, Sheldon 2021) on mbi's inference: a third each for columns, for a tree, for its pairs."""
    import_module("jax").config.update("jax_enable_x64", True)  # noqa: FBT003 - jax's own way
    mbi = import_module("mbi")

    def run(columns: Columns, sizes: Sizes, epsilon: float) -> Columns:
        chance, rho, names = np.random.default_rng(), _rho(epsilon), list(columns)
        sigma = np.sqrt(len(names) / (2 * rho / 3))
        rare, codes = {}, {}
        measured = []
        for name in names:
            noisy = np.bincount(columns[name], minlength=sizes[name]) + chance.normal(0, sigma, sizes[name])
            common = noisy >= 3 * sigma
            number = np.where(common, np.cumsum(common) - 1, common.sum())
            kept = np.append(noisy[common], noisy[~common].sum()) if (~common).any() else noisy
            codes[name], rare[name] = number[columns[name]], (np.flatnonzero(common), np.flatnonzero(~common))
            measured.append((kept, name, int((~common).sum())))
        domain = mbi.Domain(names, [kept.size for kept, _, _ in measured])
        ones = [mbi.LinearMeasurement(kept, (name,), stddev=sigma) for kept, name, _ in measured]
        model = mbi.estimation.MirrorDescent().estimate(domain, ones)
        tree = _chosen_tree(codes, domain, model, rho / 3, chance)
        sigma = np.sqrt(len(tree) / (2 * rho / 3))
        pairs = []
        for one, other in tree:
            cells = np.bincount(codes[one] * domain[other] + codes[other], minlength=domain[one] * domain[other])
            pairs.append(mbi.LinearMeasurement(cells + chance.normal(0, sigma, cells.size), (one, other), stddev=sigma))
        made = mbi.estimation.MirrorDescent().estimate(domain, ones + pairs, iters=5000).synthetic_data()
        return {name: _undone(np.asarray(made.to_dict()[name]), rare[name], chance) for name in names}

    return run


def _chosen_tree(codes: Columns, domain: Any, model: Any, rho: float, chance: np.random.Generator) -> list[Any]:  # noqa: ANN401 - its types are not installed here
    """Edge after edge by the exponential mechanism, on the l1 error of independence."""
    names = list(codes)
    away = {}
    for one, other in itertools.combinations(names, 2):
        cells = np.bincount(codes[one] * domain[other] + codes[other], minlength=domain[one] * domain[other])
        away[one, other] = float(np.abs(cells - np.asarray(model.project((one, other)).datavector()).reshape(-1)).sum())
    sharp, root, tree = np.sqrt(8 * rho / (len(names) - 1)), {name: name for name in names}, []
    for _ in range(len(names) - 1):
        open_ = [pair for pair in away if root[pair[0]] != root[pair[1]]]
        scores = 0.5 * sharp * np.array([away[pair] for pair in open_])
        odds = np.exp(scores - scores.max())
        one, other = open_[int(chance.choice(len(open_), p=odds / odds.sum()))]
        tree.append((one, other))
        root = {name: root[one] if own == root[other] else own for name, own in root.items()}
    return tree


def _undone(found: np.ndarray, values: tuple[np.ndarray, np.ndarray], chance: np.random.Generator) -> np.ndarray:
    """Values again; those that were put together as rare ones, any of them."""
    common, rare = values
    table = np.append(common, -1)
    out = table[np.minimum(found, common.size)]
    spare = rare if rare.size else common
    return np.asarray(np.where(out < 0, chance.choice(spare, out.size), out))


def _dpmm(kind: str) -> Callable[[], Callable[[Columns, Sizes, float], Columns]]:
    def load() -> Callable[[Columns, Sizes, float], Columns]:
        pd, pipelines = import_module("pandas"), import_module("dpmm.pipelines")

        def run(columns: Columns, sizes: Sizes, epsilon: float) -> Columns:
            pipeline = getattr(pipelines, kind)(epsilon=epsilon, delta=DELTA, n_jobs=1, disable_processing=True)
            pipeline.fit(pd.DataFrame(columns), domain=sizes)
            made = pipeline.generate(n_records=len(next(iter(columns.values()))))
            return {name: made[name].to_numpy() for name in columns}

        return run

    return load


def _smartnoise() -> Callable[[Columns, Sizes, float], Columns]:
    pd, snsynth = import_module("pandas"), import_module("snsynth")

    def run(columns: Columns, sizes: Sizes, epsilon: float) -> Columns:
        del sizes
        maker = snsynth.Synthesizer.create("mst", epsilon=epsilon, delta=DELTA, verbose=False)
        made = maker.fit_sample(pd.DataFrame(columns), categorical_columns=list(columns), preprocessor_eps=0.0)
        return {name: np.asarray(made[name]) for name in columns}

    return run


def _opendp() -> Callable[[Columns, Sizes, float], Columns]:
    dp, pl = import_module("opendp.prelude"), import_module("polars")

    def run(columns: Columns, sizes: Sizes, epsilon: float) -> Columns:
        dp.enable_features("contrib")
        rho = np.floor(_rho(epsilon) * 2**14) / 2**14
        context = dp.Context.compositor(
            data=pl.DataFrame(columns).lazy(),
            privacy_unit=dp.unit_of(contributions=1),
            privacy_loss=dp.loss_of(rho=rho, delta=0.0),
        )
        keys = {name: list(range(size)) for name, size in sizes.items()}
        query = context.query(rho=rho, delta=0.0).select(*columns)
        made = query.contingency_table(keys=keys, algorithm=dp.mbi.MST()).release().synthesize().drop_nulls()
        return {name: made[name].to_numpy() for name in columns}

    return run


PEERS: dict[str, Callable[[], Callable[[Columns, Sizes, float], Columns]]] = {
    "mbi-mst": _mbi_mst,
    "dpmm-mst": _dpmm("MSTPipeline"),
    "dpmm-aim": _dpmm("AIMPipeline"),
    "smartnoise-mst": _smartnoise,
    "opendp-mst": _opendp,
}


def _rho(epsilon: float) -> float:
    """The largest rho of zCDP that is (epsilon, DELTA)-private, by the bound of Canonne, Kamath, Steinke 2020."""
    orders = 1 + np.exp(np.linspace(-10, 12, 4001))

    def delta(rho: float) -> float:
        logs = (orders - 1) * (orders * rho - epsilon) + orders * np.log1p(-1 / orders) - np.log(orders - 1)
        return float(np.exp(min(logs.min(), 0.0)))

    low, high = 0.0, epsilon + 1
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if delta(middle) <= DELTA else (low, middle)
    return low


def _cpu() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def _peak() -> float:
    return sum(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)) / 1024


if __name__ == "__main__":
    main(*sys.argv[1:])
