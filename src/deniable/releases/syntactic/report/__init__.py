"""What a privacy officer reads: the table, its risks, what it gives away, as text and as a page."""
