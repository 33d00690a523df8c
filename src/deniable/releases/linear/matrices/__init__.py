"""The matrices of linear queries: exact whole numbers, the best strategies for them, and shapes that make both fast."""
