"""Who may spend how much: the population's budget, the division of its delta, and the analysts' shares of it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from deniable.core.cap import Cap
from deniable.core.guarantee import Guarantee
from deniable.policy.section import Section
from deniable.policy.written import shown


@dataclass(frozen=True, slots=True)
class Account:
    """A name under which losses are added up, and how far they may go together."""

    name: str
    cap: Cap
    questions_per_day: int | None = None
    """How many charges it may pay on one day (UTC); None: any number."""


def read_budget(section: Section) -> Cap | None:
    """The population's cap. There is no default epsilon: how much may be lost is the custodian's decision."""
    total = _guarantee(section, Fraction(0))
    keys = section.number("delta_for_keys", "delta_for_keys = 1e-7", zero=True)
    concentrated = section.number("delta_for_zcdp", "delta_for_zcdp = 1e-7", zero=True)
    gaussian = section.number("delta_for_gdp", "delta_for_gdp = 1e-7", zero=True)
    section.finish()
    if total is None:
        return None
    rest = total.delta - sum(part for part in (keys, concentrated, gaussian) if part is not None)
    if rest < 0:
        parts = " + ".join(key for key in _PARTS if section.value(key) is not None)
        section.problem("delta", f"{parts} is more than delta", "write a larger delta, or smaller parts of it")
        return None
    if keys is None:  # who writes no more than delta can ask for private keys, and by Gaussian noise
        keys = rest if concentrated is not None and gaussian is not None else rest / 2
    return Cap(total.epsilon, total.delta, concentrated=concentrated, gaussian=gaussian, approximate=keys)


def read_analysts(root: Section, total: Cap | None) -> tuple[dict[str, Guarantee], dict[str, Fraction]]:
    """The analysts' shares, each at most the total, which holds for all of them together; and their usual spends."""
    sections = root.inner("analysts").each()
    if root.value("analysts") == {}:
        root.problem("analysts", "names nobody", "write [analysts.alice] with epsilon = 1.0, or leave the section out")
    shares: dict[str, Guarantee] = {}
    usual: dict[str, Fraction] = {}
    for name, section in sections.items():
        share = _guarantee(section, total.delta if total else Fraction(0))
        if (spend := section.number("per_question", "per_question = 0.05, or leave it out")) is not None:
            usual[name] = spend
        section.finish()
        if share is None or total is None:
            continue
        for key, part, whole in (("epsilon", share.epsilon, total.epsilon), ("delta", share.delta, total.delta)):
            if part > whole:
                what = f"{shown(section.value(key))} is more than the population's {key}"
                section.problem(key, what, f"write at most {key} = {float(whole):g}")
        shares[name] = share
    return shares, usual


def _guarantee(section: Section, delta: Fraction) -> Guarantee | None:
    """Epsilon, which must be there, and delta, which has a default."""
    section.require("epsilon", "epsilon = 1.0")
    epsilon = section.number("epsilon", "epsilon = 1.0")
    part = section.number("delta", "delta = 1e-6, or leave it out", zero=True)
    if part is not None and part >= 1:
        section.problem("delta", f"{shown(section.value('delta'))} is no protection at all", "write delta = 1e-6")
        return None
    return None if epsilon is None else Guarantee(epsilon, delta if part is None else part)


_PARTS = ("delta_for_keys", "delta_for_zcdp", "delta_for_gdp")
