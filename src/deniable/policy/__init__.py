"""What the custodian allows: population, unit, bounds, public values, budgets, analysts. Reads no private row."""

from deniable.policy.account import Account
from deniable.policy.address import AddressError, ServerAddress
from deniable.policy.column import DeclaredColumn
from deniable.policy.limits import QuestionLimits
from deniable.policy.load import load
from deniable.policy.policy import Policy
from deniable.policy.problems import InvalidPolicyError, Problem
from deniable.policy.settings import EngineSettings
from deniable.policy.table import DeclaredTable, Entry
from deniable.policy.terms import Change, Terms, Weight, changes, digest_of, reunited, terms_of

__all__ = [
    "Account",
    "AddressError",
    "Change",
    "DeclaredColumn",
    "DeclaredTable",
    "EngineSettings",
    "Entry",
    "InvalidPolicyError",
    "Policy",
    "Problem",
    "QuestionLimits",
    "ServerAddress",
    "Terms",
    "Weight",
    "changes",
    "digest_of",
    "load",
    "reunited",
    "terms_of",
]
