"""Side by side with peers, in one run, as ratios. Never part of the tests."""
