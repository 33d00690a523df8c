-- A plain sum reaches as far as the larger bound.
SELECT SUM(cost) AS paid FROM visits
