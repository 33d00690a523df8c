"""A small survey with a question of each kind."""

from __future__ import annotations

TEXT = """
[survey]
name = "students"
title = "How students study"

[questions.cheated]
text = "Did you ever cheat in an exam?"
kind = "yes-no"
epsilon = 1.0

[questions.year]
text = "Which year are you in?"
kind = "choice"
values = ["first", "second", "later"]
epsilon = 0.5

[questions.hours]
text = "How many hours a week do you study?"
kind = "number"
bounds = [0, 80]
epsilon = 0.1
"""
