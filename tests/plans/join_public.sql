-- A public table joins on anything: a row stays a row of its unit.
SELECT city, AVG(cost) AS cost FROM visits JOIN hospitals ON hospital = id GROUP BY city
