"""Exact samplers: whole arrays of draws whose law has no floating point in it."""

from deniable.core.sampling.batches import IntArray
from deniable.core.sampling.bernoulli import BoolArray, bernoulli, bernoulli_exponentials, coin
from deniable.core.sampling.gaussian import discrete_gaussian
from deniable.core.sampling.geometric import LARGEST_SCALE, geometric
from deniable.core.sampling.laplace import discrete_laplace, discrete_laplace_radius
from deniable.core.sampling.student import discrete_student
from deniable.core.sampling.uniform import uniform, uniforms

__all__ = [
    "LARGEST_SCALE",
    "BoolArray",
    "IntArray",
    "bernoulli",
    "bernoulli_exponentials",
    "coin",
    "discrete_gaussian",
    "discrete_laplace",
    "discrete_laplace_radius",
    "discrete_student",
    "geometric",
    "uniform",
    "uniforms",
]
