"""Spark as an engine, over Spark Connect: our algebra in Spark SQL; Sail speaks it, too."""
