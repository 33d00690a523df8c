"""Noise at the source: people randomize on their own device, and the collector estimates the truth.

Each protocol is one class in one file with both halves: `perturb` for respondents, `estimate` for the collector.
"""

from deniable.local.choose import Choice, choose
from deniable.local.consistent import proportions
from deniable.local.duchi import Duchi
from deniable.local.estimate import Estimate
from deniable.local.hadamard_response import HadamardResponse
from deniable.local.heavy_hitters import HeavyHitters
from deniable.local.hybrid import Hybrid
from deniable.local.kary_response import KaryResponse
from deniable.local.local_hashing import LocalHashing
from deniable.local.marginals import Marginals
from deniable.local.mean_vector import MeanVector
from deniable.local.memory import Memory
from deniable.local.optimized_unary import OptimizedUnary
from deniable.local.piecewise import Piecewise
from deniable.local.projective_geometry import ProjectiveGeometry
from deniable.local.protocol import Protocol
from deniable.local.randomized_response import RandomizedResponse
from deniable.local.rappor import Rappor
from deniable.local.reports import Reports
from deniable.local.shuffling import Shuffled
from deniable.local.subset_selection import SubsetSelection
from deniable.local.symmetric_unary import SymmetricUnary

__all__ = [
    "Choice",
    "Duchi",
    "Estimate",
    "HadamardResponse",
    "HeavyHitters",
    "Hybrid",
    "KaryResponse",
    "LocalHashing",
    "Marginals",
    "MeanVector",
    "Memory",
    "OptimizedUnary",
    "Piecewise",
    "ProjectiveGeometry",
    "Protocol",
    "RandomizedResponse",
    "Rappor",
    "Reports",
    "Shuffled",
    "SubsetSelection",
    "SymmetricUnary",
    "choose",
    "proportions",
]
