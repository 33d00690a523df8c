"""One protocol per file, with both halves: `perturb` for respondents, `estimate` for the collector."""
