"""Lines of the ledger as people see them: an analyst's own places say nothing of what others were answered."""

from fractions import Fraction
from types import SimpleNamespace

from deniable.core.loss import Loss
from deniable.service.history import charges, payments, requests

ONE = Loss.pure(Fraction(1, 2))


def entries(*said):
    """Each a kind, and whose it is; answers of others stand in between."""
    return [
        SimpleNamespace(
            sequence=place,
            kind=kind,
            analyst=who,
            written="2026-01-01",
            text="SELECT",
            loss=ONE,
            details={"wanted": "more", "reason": "a study", "request": 2, "granted": True},
        )
        for place, (kind, who) in enumerate(said, 1)
    ]


def test_an_analyst_counts_their_own_charges_and_others_see_places():
    found = entries(("charged", "alice"), ("charged", "bob"), ("answered", ""), ("shown", "bob"))
    assert [line.entry for line, _ in charges(found, None)] == [1, 2, 4]
    assert [(line.entry, entry.sequence) for line, entry in charges(found, "bob")] == [(1, 2), (2, 4)]


def test_an_analyst_counts_their_own_requests_too():
    found = entries(("charged", "alice"), ("requested", "bob"), ("answered", ""), ("requested", "bob"), ("replied", ""))
    assert [(one.entry, one.granted) for one in requests(found, "bob")] == [(2, None), (1, True)]
    assert [one.entry for one in requests(found, None)] == [4, 2]
    assert requests(found, "alice") == []


def test_a_payment_is_found_again_from_a_loss_that_was_rounded_down():
    paid = Fraction(1, 4)
    assert {"epsilon": paid} in payments(Loss.pure(paid - Fraction(1, 10**12)))
