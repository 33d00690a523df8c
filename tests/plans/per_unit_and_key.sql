-- One row per unit and key: a person weighs as before.
SELECT region, COUNT(*) AS people FROM (SELECT DISTINCT patient, region FROM visits) AS t GROUP BY region
