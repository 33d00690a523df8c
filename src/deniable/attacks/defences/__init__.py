"""What stands between private data and an attacker: the old ways, and this project's curator.

Guards answer questions, publishers publish a table, engines rank advertisements, trainers publish a model.
"""

from deniable.attacks.defences.bit_audit import OfflineBitAudit, SimulatableBitAudit
from deniable.attacks.defences.curator import CuratorGuard, CuratorResponder
from deniable.attacks.defences.defence import Defence, Guard, Kind, Questions, Responder, Table
from deniable.attacks.defences.deidentified import Deidentified
from deniable.attacks.defences.deterministic import Deterministic
from deniable.attacks.defences.engine import Engine
from deniable.attacks.defences.exact import Exact
from deniable.attacks.defences.exponential_engine import ExponentialEngine
from deniable.attacks.defences.input_noise import InputNoise
from deniable.attacks.defences.k_anonymous import KAnonymous
from deniable.attacks.defences.l_diverse import LDiverse
from deniable.attacks.defences.laplace import NaiveLaplace
from deniable.attacks.defences.max_audit import OfflineMaxAudit, SimulatableMaxAudit
from deniable.attacks.defences.noisy_counts import NoisyCounts
from deniable.attacks.defences.noisy_gradients import NoisyGradients
from deniable.attacks.defences.plain_training import PlainTraining
from deniable.attacks.defences.publisher import Publisher
from deniable.attacks.defences.query_set_size import QuerySetSize
from deniable.attacks.defences.regularised_training import RegularisedTraining
from deniable.attacks.defences.remembering import RememberingSets, RememberingTexts
from deniable.attacks.defences.response import ResponseEngine
from deniable.attacks.defences.rounding import Rounding
from deniable.attacks.defences.subsample import Subsample
from deniable.attacks.defences.sum_audit import SumAudit
from deniable.attacks.defences.t_close import TClose
from deniable.attacks.defences.trainer import Trainer
from deniable.attacks.defences.uniform_noise import UniformNoise

__all__ = [
    "CuratorGuard",
    "CuratorResponder",
    "Defence",
    "Deidentified",
    "Deterministic",
    "Engine",
    "Exact",
    "ExponentialEngine",
    "Guard",
    "InputNoise",
    "KAnonymous",
    "Kind",
    "LDiverse",
    "NaiveLaplace",
    "NoisyCounts",
    "NoisyGradients",
    "OfflineBitAudit",
    "OfflineMaxAudit",
    "PlainTraining",
    "Publisher",
    "QuerySetSize",
    "Questions",
    "RegularisedTraining",
    "RememberingSets",
    "RememberingTexts",
    "Responder",
    "ResponseEngine",
    "Rounding",
    "SimulatableBitAudit",
    "SimulatableMaxAudit",
    "Subsample",
    "SumAudit",
    "TClose",
    "Table",
    "Trainer",
    "UniformNoise",
]
