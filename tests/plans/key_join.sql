-- Along a declared key the unit need not be written; its equality is added. A line has one order, so 20 rows, not 100.
SELECT EXTRACT(QUARTER FROM day) AS quarter, COUNT(*) AS n FROM lines, orders WHERE lines.number = orders.number GROUP BY 1
