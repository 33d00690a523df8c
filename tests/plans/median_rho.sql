-- Paid by rho, the exponential mechanism chooses.
-- rho = 0.1
SELECT PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY weight DESC) AS w FROM survey
