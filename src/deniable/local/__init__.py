"""Noise at the source: people randomize on their own device, and the collector estimates the truth.

Each protocol is one class in one file with both halves: `perturb` for respondents, `estimate` for the collector.
"""

from deniable.local.choose import Choice, choose
from deniable.local.consistent import proportions
from deniable.local.estimate import Estimate
from deniable.local.families.protocol import Protocol
from deniable.local.memory import Memory
from deniable.local.protocols.duchi import Duchi
from deniable.local.protocols.hadamard_response import HadamardResponse
from deniable.local.protocols.heavy_hitters import HeavyHitters
from deniable.local.protocols.hybrid import Hybrid
from deniable.local.protocols.kary_response import KaryResponse
from deniable.local.protocols.local_hashing import LocalHashing
from deniable.local.protocols.marginals import Marginals
from deniable.local.protocols.mean_vector import MeanVector
from deniable.local.protocols.optimized_unary import OptimizedUnary
from deniable.local.protocols.piecewise import Piecewise
from deniable.local.protocols.projective_geometry import ProjectiveGeometry
from deniable.local.protocols.rappor import Rappor
from deniable.local.protocols.subset_selection import SubsetSelection
from deniable.local.protocols.symmetric_unary import SymmetricUnary
from deniable.local.protocols.warner_response import WarnerResponse
from deniable.local.reports import Reports
from deniable.local.shuffling import Shuffled

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
    "Rappor",
    "Reports",
    "Shuffled",
    "SubsetSelection",
    "SymmetricUnary",
    "WarnerResponse",
    "choose",
    "proportions",
]
