"""What a release gives away: each attack is a program that wins or fails, with a number."""

from deniable.attacks.attack import Attack
from deniable.attacks.on_models.membership import Membership
from deniable.attacks.on_models.model import Model
from deniable.attacks.on_models.ranking import Ranking
from deniable.attacks.on_models.resemblance import Resemblance
from deniable.attacks.on_questions.averaging import Averaging
from deniable.attacks.on_questions.bit_refusals import BitRefusals
from deniable.attacks.on_questions.differencing import Differencing
from deniable.attacks.on_questions.max_refusals import MaxRefusals
from deniable.attacks.on_questions.months import Months
from deniable.attacks.on_questions.pairs import Pairs
from deniable.attacks.on_questions.reconstruction import Reconstruction
from deniable.attacks.on_questions.singling_out import SinglingOut
from deniable.attacks.on_tables.background import Background
from deniable.attacks.on_tables.composition import Composition
from deniable.attacks.on_tables.homogeneity import Homogeneity
from deniable.attacks.on_tables.linkage import Linkage
from deniable.attacks.on_tables.skewness import Skewness
from deniable.attacks.on_tables.uniqueness import Uniqueness
from deniable.attacks.outcome import Outcome

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
    "Resemblance",
    "SinglingOut",
    "Skewness",
    "Uniqueness",
]
