SELECT DATE_TRUNC('month', seen) AS month, COUNT(*) AS n, MEDIAN(seen) AS half, AVG(seen - TIMESTAMP '2025-01-01 00:00:00') AS seconds
FROM visits WHERE EXTRACT(hour FROM seen) < 12 AND seen >= day - INTERVAL '1 month' GROUP BY month
