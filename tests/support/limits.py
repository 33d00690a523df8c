"""Limits that keep nothing from being asked: for tests of what is charged and answered, not of what may be asked."""

from __future__ import annotations

from fractions import Fraction

LOOSE = {"least_spend": Fraction(1, 10**90), "answer_size": 10**9, "questions_per_day": 10**9}
