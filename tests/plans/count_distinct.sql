-- Different values: a unit adds as many as it may weigh.
SELECT region, COUNT(DISTINCT day) AS days FROM visits GROUP BY region
