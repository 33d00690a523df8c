-- The same with Gaussian noise.
-- rho = 0.1
-- delta = 1e-7
SELECT reason, COUNT(DISTINCT patient) AS patients FROM visits GROUP BY reason
