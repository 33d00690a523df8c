"""Surveys in the local model: design them, perturb answers, estimate from reports."""
