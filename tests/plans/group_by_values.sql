-- Keys with declared values: every group is answered.
SELECT region, COUNT(*) AS n FROM visits GROUP BY region
