"""How many questions fit: that many do, and one more does not."""

from __future__ import annotations

import pytest

from deniable.accounting import METHODS, compose
from deniable.accounting.how_many import how_many
from deniable.core.guarantee import Guarantee
from deniable.core.loss import Loss
from deniable.mechanisms import Gaussian


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "loss", [Loss.pure("0.05"), Gaussian(sensitivity=1, rho="1/800").loss], ids=["laplace", "gaussian"]
)
def test_that_many_fit_and_one_more_does_not(method: str, loss: Loss) -> None:
    cap = Guarantee(1, "1e-6")
    count = how_many(loss, cap, method)
    if count:
        assert compose([loss] * count, cap.delta, method).guarantee.epsilon <= cap.epsilon * (1 + 1e-9)
    if loss.epsilon is not None or method not in ("basic", "advanced"):
        assert compose([loss] * (count + 1), cap.delta, method).guarantee.epsilon > cap.epsilon
