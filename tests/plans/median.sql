-- A quantile is chosen by rank: the value, and both ends of its interval.
SELECT region, MEDIAN(age) AS age FROM visits GROUP BY region
