"""What a form says: a question, and how it is paid. As it was written; whether it is right is decided elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256

from deniable.service.hints import hinted, merged

PAYMENTS = ("epsilon", "rho", "accuracy")
_EXTRA = ("delta", "confidence", "rows")


@dataclass(frozen=True, slots=True)
class WrittenQuestion:
    """A question in SQL, with its payment.

    Example:
        >>> asked = WrittenQuestion.read({"sql": "SELECT COUNT(*) FROM visits", "pay": "rho", "amount": "0.01"})
        >>> asked.settled
        ('SELECT COUNT(*) FROM visits', {'rho': '0.01'})
    """

    sql: str
    pay: str = "epsilon"
    amount: str = ""
    delta: str = ""
    confidence: str = ""
    rows: str = ""

    @classmethod
    def read(cls, sent: Mapping[str, str]) -> WrittenQuestion:
        """What was sent, without the spaces around numbers."""
        pay = sent.get("pay", "epsilon")
        numbers = {name: sent.get(name, "").strip() for name in ("amount", *_EXTRA)}
        return cls(sent.get("sql", ""), pay if pay in PAYMENTS else "epsilon", **numbers)

    @property
    def settled(self) -> tuple[str, dict[str, str]]:
        """The question without its hint, and how it is paid: a hint in the question comes first, as everywhere."""
        plain, hint = hinted(self.sql)
        return plain, merged(hint, self.spending)

    @property
    def spending(self) -> dict[str, str]:
        """What the form says about paying; without an amount, the analyst's usual spend pays."""
        said = {self.pay: self.amount, **{name: getattr(self, name) for name in _EXTRA}}
        return {name: number for name, number in said.items() if number}

    @property
    def digest(self) -> str:
        """Stands for all of it."""
        parts = (self.sql, self.pay, self.amount, *(getattr(self, name) for name in _EXTRA))
        return sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
