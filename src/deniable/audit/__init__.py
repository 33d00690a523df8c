"""Empirical lower bounds on epsilon: what a mechanism gives away at least, whatever its theorem says."""

from deniable.audit.auditor import audit
from deniable.audit.verdict import Audit

__all__ = ["Audit", "audit"]
