"""All bugs, room by room."""

from tests.planted import in_core, in_engine, in_ledger, in_mechanisms, in_planner, in_releases

BUGS = (*in_core.BUGS, *in_mechanisms.BUGS, *in_planner.BUGS, *in_engine.BUGS, *in_ledger.BUGS, *in_releases.BUGS)
