"""Models on the one path: what a training costs, and the rounds in which its sums are measured."""
