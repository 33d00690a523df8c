"""Defences that answer questions: the old ways, one per file, and this project's curator."""
