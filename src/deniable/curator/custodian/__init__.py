"""What a custodian does: draft a policy, hold it against its files, and change an account that is there."""
