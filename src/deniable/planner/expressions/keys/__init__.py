"""Group keys: which values can a key take, as far as the policy (values) and the question (conditions) say?"""

from deniable.planner.expressions.keys.conditions import conjuncts
from deniable.planner.expressions.keys.key import MOST_GROUPS, Domain, GroupKey, Value, groups, real
from deniable.planner.expressions.keys.values import domain

__all__ = ["MOST_GROUPS", "Domain", "GroupKey", "Value", "conjuncts", "domain", "groups", "real"]
