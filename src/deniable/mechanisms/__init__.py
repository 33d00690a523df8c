"""Noise with a theorem: one mechanism per file, each usable alone."""

from deniable.mechanisms.above_threshold import AboveThreshold
from deniable.mechanisms.exponential import Exponential
from deniable.mechanisms.gaussian import Gaussian
from deniable.mechanisms.laplace import Laplace
from deniable.mechanisms.mechanism import Mechanism
from deniable.mechanisms.noisy_max import NoisyMax
from deniable.mechanisms.partition_selection import PartitionSelection
from deniable.mechanisms.permute_and_flip import PermuteAndFlip
from deniable.mechanisms.randomized_response import RandomizedResponse
from deniable.mechanisms.smooth_median import SmoothMedian
from deniable.mechanisms.top_k import TopK

__all__ = [
    "AboveThreshold",
    "Exponential",
    "Gaussian",
    "Laplace",
    "Mechanism",
    "NoisyMax",
    "PartitionSelection",
    "PermuteAndFlip",
    "RandomizedResponse",
    "SmoothMedian",
    "TopK",
]
