-- Paid by rho: Gaussian noise, by the l2 distance.
-- rho = 0.1
SELECT region, COUNT(*) AS n, SUM(cost) AS paid FROM visits GROUP BY region
