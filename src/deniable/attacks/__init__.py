"""What a release gives away: each attack is a program that wins or fails, with a number."""

from deniable.attacks.attack import Attack
from deniable.attacks.averaging import Averaging
from deniable.attacks.background import Background
from deniable.attacks.bit_refusals import BitRefusals
from deniable.attacks.composition import Composition
from deniable.attacks.differencing import Differencing
from deniable.attacks.homogeneity import Homogeneity
from deniable.attacks.linkage import Linkage
from deniable.attacks.max_refusals import MaxRefusals
from deniable.attacks.membership import Membership
from deniable.attacks.model import Model
from deniable.attacks.months import Months
from deniable.attacks.outcome import Outcome
from deniable.attacks.pairs import Pairs
from deniable.attacks.ranking import Ranking
from deniable.attacks.reconstruction import Reconstruction
from deniable.attacks.singling_out import SinglingOut
from deniable.attacks.skewness import Skewness
from deniable.attacks.uniqueness import Uniqueness

__all__ = [
    "Attack",
    "Averaging",
    "Background",
    "BitRefusals",
    "Composition",
    "Differencing",
    "Homogeneity",
    "Linkage",
    "MaxRefusals",
    "Membership",
    "Model",
    "Months",
    "Outcome",
    "Pairs",
    "Ranking",
    "Reconstruction",
    "SinglingOut",
    "Skewness",
    "Uniqueness",
]
