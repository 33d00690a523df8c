-- A FILTER is a statistic of its own rows; missing values are left out.
SELECT COUNT(*) FILTER (WHERE urgent) AS urgent, AVG(score) FILTER (WHERE age >= 65) AS score FROM visits
