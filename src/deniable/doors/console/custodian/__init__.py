"""The custodian's pages: people, policy, what is published, how the server fares."""
