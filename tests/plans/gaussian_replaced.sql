-- In l2, a replaced unit moves counts by the square root of two.
-- neighbours = "replace"
-- rho = 0.1
SELECT region, COUNT(*) AS n FROM visits GROUP BY region
