"""The commands of a served curator: serving it, and the tokens of those who may reach it."""
