"""Many linear queries at once: what is asked (workload), what is measured (strategy), what comes out (release)."""

from deniable.releases.linear.workload import Workload

__all__ = ["Workload"]
