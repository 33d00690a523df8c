"""Calculators for before the start: how much error, how many people, how many questions, what epsilon means."""
