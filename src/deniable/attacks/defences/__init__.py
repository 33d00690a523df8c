"""What stands between private data and an attacker: the old ways, and this project's curator.

Guards answer questions, publishers publish a table, synthesizers publish made-up rows, recommenders rank
advertisements, trainers publish a model.
"""

from deniable.attacks.defences.auditors.bit_audit import OfflineBitAudit, SimulatableBitAudit
from deniable.attacks.defences.auditors.max_audit import OfflineMaxAudit, SimulatableMaxAudit
from deniable.attacks.defences.auditors.sum_audit import SumAudit
from deniable.attacks.defences.defence import Defence, Guard, QuestionKind, Questions, Responder, SecretTable
from deniable.attacks.defences.guards.curator import CuratorGuard, CuratorResponder
from deniable.attacks.defences.guards.exact import Exact
from deniable.attacks.defences.guards.input_noise import InputNoise
from deniable.attacks.defences.guards.naive_laplace import NaiveLaplace
from deniable.attacks.defences.guards.query_set_size import QuerySetSize
from deniable.attacks.defences.guards.remembering import RememberingSets, RememberingTexts
from deniable.attacks.defences.guards.rounding import Rounding
from deniable.attacks.defences.guards.subsample import Subsample
from deniable.attacks.defences.guards.uniform_noise import UniformNoise
from deniable.attacks.defences.publishers.deidentified import Deidentified
from deniable.attacks.defences.publishers.k_anonymous import KAnonymous
from deniable.attacks.defences.publishers.l_diverse import LDiverse
from deniable.attacks.defences.publishers.noisy_counts import NoisyCounts
from deniable.attacks.defences.publishers.publisher import Publisher
from deniable.attacks.defences.publishers.t_close import TClose
from deniable.attacks.defences.recommenders.deterministic import Deterministic
from deniable.attacks.defences.recommenders.exponential_choice import ExponentialChoice
from deniable.attacks.defences.recommenders.randomized_profile import RandomizedProfile
from deniable.attacks.defences.recommenders.recommender import Recommender
from deniable.attacks.defences.synthesizers.copied_rows import CopiedRows
from deniable.attacks.defences.synthesizers.curator_tables import CuratorTables
from deniable.attacks.defences.synthesizers.shuffled_columns import ShuffledColumns
from deniable.attacks.defences.synthesizers.synthesizer import Synthesizer
from deniable.attacks.defences.trainers.noisy_gradients import NoisyGradients
from deniable.attacks.defences.trainers.plain_training import PlainTraining
from deniable.attacks.defences.trainers.regularised_training import RegularisedTraining
from deniable.attacks.defences.trainers.trainer import Trainer

__all__ = [
    "CopiedRows",
    "CuratorGuard",
    "CuratorResponder",
    "CuratorTables",
    "Defence",
    "Deidentified",
    "Deterministic",
    "Exact",
    "ExponentialChoice",
    "Guard",
    "InputNoise",
    "KAnonymous",
    "LDiverse",
    "NaiveLaplace",
    "NoisyCounts",
    "NoisyGradients",
    "OfflineBitAudit",
    "OfflineMaxAudit",
    "PlainTraining",
    "Publisher",
    "QuerySetSize",
    "QuestionKind",
    "Questions",
    "RandomizedProfile",
    "Recommender",
    "RegularisedTraining",
    "RememberingSets",
    "RememberingTexts",
    "Responder",
    "Rounding",
    "SecretTable",
    "ShuffledColumns",
    "SimulatableBitAudit",
    "SimulatableMaxAudit",
    "Subsample",
    "SumAudit",
    "Synthesizer",
    "TClose",
    "Trainer",
    "UniformNoise",
]
