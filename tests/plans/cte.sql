-- A WITH that goes row by row leaves no trace but its condition.
WITH adults AS (SELECT cost * 2 AS double, region FROM visits WHERE age >= 18) SELECT region, AVG(double) AS cost FROM
adults GROUP BY region
