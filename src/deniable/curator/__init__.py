"""The one path from a question to an answer; the only room that holds rows and budgets together."""

from deniable.curator.answer import Answer
from deniable.curator.ask import Curator
from deniable.curator.budget import Budget
from deniable.curator.builder import (
    correlation,
    count,
    deviation,
    distinct,
    maximum,
    mean,
    median,
    minimum,
    mode,
    most_common,
    quantile,
    total,
    units,
    variance,
)
from deniable.curator.custodian import adopt, amend, anchor, move
from deniable.curator.factory import create, open_policy, protect
from deniable.curator.noisy_answer import NoisyAnswer
from deniable.curator.outer import OuterAnswer
from deniable.curator.public import PublicAnswer

__all__ = [
    "Answer",
    "Budget",
    "Curator",
    "NoisyAnswer",
    "OuterAnswer",
    "PublicAnswer",
    "adopt",
    "amend",
    "anchor",
    "correlation",
    "count",
    "create",
    "deviation",
    "distinct",
    "maximum",
    "mean",
    "median",
    "minimum",
    "mode",
    "most_common",
    "move",
    "open_policy",
    "protect",
    "quantile",
    "total",
    "units",
    "variance",
]
