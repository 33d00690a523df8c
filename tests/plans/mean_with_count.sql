-- COUNT, SUM and AVG of the same rows are paid as two statistics.
SELECT COUNT(*) AS n, SUM(cost) AS paid, AVG(cost) AS cost FROM visits
