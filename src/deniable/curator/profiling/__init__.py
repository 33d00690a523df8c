"""The private profile as a purchase: what is counted, and what an analyst who was shown it is told in later answers."""
