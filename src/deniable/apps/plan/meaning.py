"""What does epsilon mean for a person?"""

from __future__ import annotations

from deniable.apps.chart import Chart
from deniable.core.guarantee import Guarantee
from deniable.core.loss import Loss
from deniable.core.number import Number, exact, whole

_PRIORS = ("0.001", "0.01", "0.1", "0.5", "0.9")


def meaning(epsilon: Number, delta: Number, prior: Number | None, group: int) -> Chart:
    """Beliefs before and after, for one person and for a group."""
    guarantee = Guarantee(epsilon, delta)
    loss = Loss.approximate(guarantee.epsilon, guarantee.delta) if guarantee.delta else Loss.pure(guarantee.epsilon)
    together = loss.for_group(whole("group", group))
    for_group = Guarantee(together.epsilon or guarantee.epsilon)
    rows = []
    for belief in _PRIORS if prior is None else (prior,):
        low, high = guarantee.posterior(belief)
        group_low, group_high = for_group.posterior(belief)
        rows.append(
            (
                _percent(float(exact("prior", belief))),
                f"{_percent(low)} to {_percent(high)}",
                f"{_percent(group_low)} to {_percent(group_high)}",
            )
        )
    factor = f"{guarantee.odds_factor:.3g}"
    coin = (1 + Guarantee(guarantee.epsilon).advantage) / 2
    part = (
        f"Except with probability {float(guarantee.delta):g} (for the group {float(together.delta):.3g}): "
        "keep that far below 1 in all the people."
        if guarantee.delta
        else "Without exception (delta is 0)."
    )
    return Chart(
        title=f"What epsilon {epsilon} means: a belief about one person, before and after any answer",
        columns=("before", "after, at most", f"about a group of {group}"),
        rows=rows,
        notes=(
            f"Odds: whatever is found out, the odds of anything about one person change at most by a factor {factor}, "
            "compared with the same answer had that person stayed away.",
            f"Risk: any bad event (a raised premium, an unwanted call) becomes at most {factor} times likelier "
            "by taking part.",
            f"Coin: as deniable as a yes or no that is true with probability {coin:.3g}.",
            f"Guessing: who guesses whether a person took part is right at most {(1 + guarantee.advantage) / 2:.1%} "
            "of the time (a fair coin: 50%).",
            f"Group: {group} people together have epsilon {float(for_group.epsilon):.3g}.",
            part,
            "It does not keep secret what is true of people in general: that smoking causes cancer can be learned, "
            "and then it is known of a smoker who never took part.",
        ),
    )


def _percent(chance: float) -> str:
    """Enough digits to see small chances."""
    return f"{chance:.3%}" if chance < 0.01 else f"{chance:.1%}"  # noqa: PLR2004 - one percent
