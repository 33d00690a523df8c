"""Spark as an engine, over Spark Connect: our algebra in Spark SQL; Sail speaks it, too.

The order: engine (the contract), connection with client (a server that is asked, and calls that end), dialect (Spark's
words) with primitives and texts.
"""
