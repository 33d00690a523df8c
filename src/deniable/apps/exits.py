"""What the program's exit code says, and what it prints before it ends with one."""

from __future__ import annotations

from enum import IntEnum

from deniable.core.errors import Failed, InvalidArgumentError, Refused

_OVER_BUDGET = "over-budget"


class ExitCode(IntEnum):
    """How a command ended: the same for every command."""

    ANSWERED = 0
    FAILED = 1
    USAGE = 2
    REFUSED = 3
    OVER_BUDGET = 4


def refused(refusal: Refused) -> ExitCode:
    """Whether more budget would have helped."""
    return ExitCode.OVER_BUDGET if refusal.code == _OVER_BUDGET else ExitCode.REFUSED


def ending(error: Exception) -> tuple[ExitCode, str] | None:
    """The exit code and the few lines for an error that people can do something about; None for any other."""
    from deniable.policy import InvalidPolicyError

    if isinstance(error, Refused):
        return refused(error), error.show()
    if isinstance(error, InvalidArgumentError | InvalidPolicyError):
        return ExitCode.USAGE, f"error: {error}"
    if isinstance(error, Failed):
        return ExitCode.FAILED, f"error: {error}"
    if isinstance(error, OSError) and error.filename is not None:
        return ExitCode.FAILED, f"error: {error.strerror}: {error.filename}"
    return None
