"""Whole tables out: many statistics published at once."""

from deniable.releases.linear import Workload

__all__ = ["Workload"]
