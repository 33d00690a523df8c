"""All bugs, room by room."""

from tests.planted import (
    in_core,
    in_engine,
    in_intervals,
    in_learn,
    in_ledger,
    in_mechanisms,
    in_outer,
    in_planner,
    in_releases,
    in_service,
)

_ROOMS = (
    in_core,
    in_mechanisms,
    in_planner,
    in_intervals,
    in_outer,
    in_engine,
    in_ledger,
    in_releases,
    in_learn,
    in_service,
)
BUGS = tuple(bug for room in _ROOMS for bug in room.BUGS)
