"""Post-processing: columns of the answer from noisy statistics, with intervals that surely follow from theirs."""

from deniable.planner.expressions.evaluate.evaluate import computable, evaluate, is_long, unrounded
from deniable.planner.expressions.evaluate.numbers import ANY, MOMENTS, ROUNDED
from deniable.planner.expressions.evaluate.results import Band, Result, Truth, labelled, labels, truth_of

__all__ = [
    "ANY",
    "MOMENTS",
    "ROUNDED",
    "Band",
    "Result",
    "Truth",
    "computable",
    "evaluate",
    "is_long",
    "labelled",
    "labels",
    "truth_of",
    "unrounded",
]
