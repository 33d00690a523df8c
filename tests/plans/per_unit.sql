-- A subquery with one row per unit: a person weighs one.
SELECT AVG(LEAST(paid, 3000)) AS paid, COUNT(*) FILTER (WHERE visits > 5) AS often FROM (SELECT patient, SUM(cost) AS
paid, COUNT(*) AS visits FROM visits GROUP BY patient) AS people
