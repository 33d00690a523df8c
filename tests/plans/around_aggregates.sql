-- What is computed around aggregates costs nothing more.
SELECT ROUND(100.0 * COUNT(*) FILTER (WHERE urgent) / COUNT(*), 1) AS percent FROM visits
