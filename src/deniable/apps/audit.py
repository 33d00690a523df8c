"""`deniable audit`: try to catch a mechanism losing more than it claims."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import Progress
from rich.text import Text
from typer.core import TyperGroup

from deniable import mechanisms
from deniable.apps.exits import ExitCode
from deniable.apps.options import Delta, Epsilon, Plot, Policy, Question, Rho
from deniable.core.errors import InvalidArgumentError
from deniable.mechanisms import Mechanism

if TYPE_CHECKING:
    from deniable.audit import Audit

_PICTURE_SAMPLES = 20_000
_BARS = 15
_WIDTH = 26

Alpha = Annotated[str, typer.Option(metavar="NUMBER", help="Chance that the proven bound is wrong.")]


def catalogue() -> dict[str, type[Mechanism]]:
    """Every mechanism by its name on the command line."""
    kinds = [getattr(mechanisms, name) for name in mechanisms.__all__ if name != "Mechanism"]
    return {re.sub(r"(?<!^)(?=[A-Z])", "-", kind.__name__).lower(): kind for kind in kinds}


class AuditGroup(TyperGroup):
    """`audit laplace` is `audit mechanism laplace`: what is audited may stand where the command would."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401 - click's, or Typer's own copy of it
        """What begins with neither a command nor a call for help names a mechanism."""
        if args and args[0] not in {*self.commands, "--help"}:
            args = ["mechanism", *args]
        return list(super().parse_args(ctx, args))


app = typer.Typer(
    cls=AuditGroup,
    no_args_is_help=True,
    add_completion=False,
    help="Try to catch a mechanism, or a whole question, giving away more than it claims.\n\n"
    "`deniable audit laplace` is short for `deniable audit mechanism laplace`.",
)


@app.command("mechanism")
def audit_mechanism(
    mechanism: Annotated[str, typer.Argument(metavar="MECHANISM", help=f"What to test: {', '.join(catalogue())}.")],
    epsilon: Annotated[str, typer.Option(metavar="NUMBER", help="Privacy loss that the mechanism claims.")] = "1",
    samples: Annotated[
        int, typer.Option(metavar="NUMBER", help="How often to run it on each of two neighbouring inputs.")
    ] = 1_000_000,
    alpha: Alpha = "1e-6",
    plot: Plot = None,
) -> None:
    """Try to catch a mechanism giving away more than it claims.

    Runs it many times on two inputs that differ in one person, and proves a lower bound on its privacy loss.
    """
    kinds = catalogue()
    if mechanism not in kinds:
        raise InvalidArgumentError("mechanism", f"must be one of {', '.join(kinds)}, not {mechanism!r}")
    subject = kinds[mechanism].typical(epsilon)
    console = Console()
    found = watched(subject, samples, alpha, console)
    console.print(found)
    outcomes = [subject.sample(data, _PICTURE_SAMPLES) for data in subject.neighbours()]
    if plot is not None:
        save(outcomes, found, plot)
    console.print(bars(outcomes))
    if plot is not None:
        console.print(f"[dim]picture: {plot}[/dim]")


@app.command("ask")
def audit_ask(
    policy: Policy,
    sql: Question,
    epsilon: Epsilon = None,
    rho: Rho = None,
    delta: Delta = None,
    samples: Annotated[
        int, typer.Option(metavar="NUMBER", help="How many noisy answers to draw on each of two neighbouring tables.")
    ] = 20_000,
    alpha: Alpha = "1e-6",
) -> None:
    """Try to catch a question giving away more than it claims, on made-up tables.

    Asks it of tables that fit the policy and differ in one extreme person, all the way through. The policy's own data
    and ledger are not touched. Ends with exit code 1 if anything tells the two apart that should not.
    """
    from deniable.audit.questions import audit_question
    from deniable.policy import load

    console = Console()
    with Progress(console=console, transient=True) as progress:
        task = progress.add_task("auditing", total=2 * samples)
        found = audit_question(
            load(policy),
            sql,
            samples=samples,
            alpha=alpha,
            progress=lambda done, total: progress.update(task, completed=done, total=total),
            epsilon=epsilon,
            rho=rho,
            delta=delta,
        )
    console.print(found)
    if not found.passed:
        raise typer.Exit(ExitCode.FAILED)


def watched(subject: Mechanism, samples: int, alpha: str, console: Console) -> Audit:
    """An audit of a mechanism's own claim, with a bar."""
    from deniable.audit import audit

    delta = subject.loss.delta or ("1e-6" if subject.loss.epsilon is None else 0)
    with Progress(console=console, transient=True) as progress:
        task = progress.add_task("auditing", total=2 * samples)
        return audit(
            subject,
            delta=delta,
            samples=samples,
            alpha=alpha,
            progress=lambda done, total: progress.update(task, completed=done, total=total),
        )


def bars(outcomes: list[NDArray[Any]]) -> Text:
    """How often each outcome came up, on the first input and on the second, side by side."""
    edges, labels = _bins(outcomes)
    shares = [np.histogram(row, bins=edges)[0] / len(row) for row in outcomes]
    most = max(float(share.max()) for share in shares)
    text = Text("\n outcome    on the first input          on the second input\n", style="bold")
    for label, first, second in zip(labels, *shares, strict=True):
        text.append(f"{label:>8} ", style="dim")
        for share, colour in ((first, "cyan"), (second, "magenta")):
            text.append(f"{'█' * round(_WIDTH * share / most):<{_WIDTH}}", style=colour)
            text.append("  ")
        text.append("\n")
    return text


def save(outcomes: list[NDArray[Any]], found: Audit, path: Path) -> None:
    """The same as an image."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise InvalidArgumentError("plot", "needs matplotlib: pip install 'deniable[plot]'") from None
    edges, _ = _bins(outcomes)
    figure = Figure(figsize=(8, 4.5), layout="constrained")
    axes = figure.add_subplot()
    axes.hist(outcomes, bins=edges.tolist(), density=True, label=["first input", "its neighbour"])
    title = f"claimed epsilon {float(found.epsilon):g}, proven at least {found.lower_bound:.3f}"
    axes.set(xlabel="outcome", ylabel="frequency", title=title)
    axes.legend()
    try:
        figure.savefig(path, dpi=150)
    except (OSError, ValueError) as error:
        raise InvalidArgumentError("plot", f"could not be written to {path}: {error}") from None


def _bins(outcomes: list[NDArray[Any]]) -> tuple[NDArray[np.float64], list[str]]:
    """One bin per outcome if there are few, else equal ones over the middle 98%, of whole width for whole outcomes."""
    together = np.concatenate(outcomes).astype(np.float64)
    distinct = np.unique(together)
    if distinct.size <= _BARS:
        middles = (distinct[1:] + distinct[:-1]) / 2
        return np.concatenate([[distinct[0] - 1], middles, [distinct[-1] + 1]]), [f"{value:g}" for value in distinct]
    low, high = np.quantile(together, [0.01, 0.99])
    if (distinct == np.rint(distinct)).all():
        low, width = np.floor(low) - 0.5, np.ceil((high - low + 1) / _BARS)
    else:
        width = (high - low) / _BARS
    edges = low + width * np.arange(np.ceil((high - low) / width) + 1)
    return edges, [f"{(left + right) / 2:.3g}" for left, right in pairwise(edges)]
