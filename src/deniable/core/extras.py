"""Libraries that not everybody installs: found when they are needed, or a message that says what to install."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from deniable.core.errors import InvalidArgumentError


def needed(what: str, module: str, extra: str) -> ModuleType:
    """A module that is an extra.

    Raises:
        InvalidArgumentError: it is not installed; the message names the extra.

    Example:
        >>> needed("plot", "a_library_that_nobody_has", "plot")
        Traceback (most recent call last):
        deniable.core.errors.InvalidArgumentError: plot needs a_library_that_nobody_has: pip install 'deniable[plot]'
    """
    try:
        return import_module(module)
    except ImportError:
        name = module.partition(".")[0]
        raise InvalidArgumentError(what, f"needs {name}: pip install 'deniable[{extra}]'") from None
