-- Buckets and months of bounded columns.
SELECT FLOOR(age / 10) * 10 AS decade, DATE_TRUNC('month', day) AS month, COUNT(*) AS n FROM visits GROUP BY 1, 2
