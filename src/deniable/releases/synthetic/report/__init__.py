"""What comes of a synthesis: its price, the release, counts with intervals, and a page for whoever gets the tables."""
