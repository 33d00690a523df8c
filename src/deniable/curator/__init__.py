"""The one path from a question to an answer; the only room that holds rows and budgets together.

    curator.Curator   all that can be asked: questions (ask), whole releases (releases), models (models)
    ask.Asking          a question: its price, its purchase, its answer
    price.Pricing         from text to a price: public facts only
    buy.Buying            from a price to a record: find, check, charge, run, noise, record
    purchase.Purchase       what is bought; of questions (questions), workloads, profiling, synthesis, training
    noise.add_noise         where exact answers meet noise
    answers               what is made of what was recorded

`factory` puts a curator together, `builder` asks in Python, `budget` says what is left, `custodian` is for those who
own the data, `public` for tables that need no protection.
"""

from deniable.curator.answers.answer import Answer
from deniable.curator.answers.noisy_answer import NoisyAnswer
from deniable.curator.answers.outer import OuterAnswer
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
from deniable.curator.curator import Curator
from deniable.curator.custodian.accounts import adopt, amend, anchor, move
from deniable.curator.factory import create, open_policy, protect
from deniable.curator.public.answer import PublicAnswer

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
