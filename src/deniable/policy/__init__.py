"""What the custodian allows: population, unit, bounds, public values, budgets, analysts. Reads no private row."""

from deniable.policy.account import Account
from deniable.policy.column import DeclaredColumn
from deniable.policy.load import load
from deniable.policy.policy import Policy
from deniable.policy.problems import InvalidPolicyError, Problem
from deniable.policy.settings import EngineSettings
from deniable.policy.table import DeclaredTable

__all__ = [
    "Account",
    "DeclaredColumn",
    "DeclaredTable",
    "EngineSettings",
    "InvalidPolicyError",
    "Policy",
    "Problem",
    "load",
]
