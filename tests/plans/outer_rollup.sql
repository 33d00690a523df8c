-- A question for each set of keys.
SELECT region, urgent, COUNT(*) AS n, GROUPING(urgent) AS g FROM visits GROUP BY ROLLUP (region, urgent)
