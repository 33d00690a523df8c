-- Keys that only the data knows: a unit counts in three groups at most, and delta pays for showing them.
-- delta = 1e-7
SELECT reason, COUNT(*) AS n, AVG(cost) AS cost FROM visits GROUP BY reason
