-- A window over an aggregate, HAVING and QUALIFY come after the noise; the filter is not inside.
SELECT region, COUNT(*) AS n, 100.0 * COUNT(*) / SUM(COUNT(*)) OVER () AS share, RANK() OVER (ORDER BY COUNT(*) DESC) AS place
FROM visits GROUP BY region HAVING COUNT(*) > 10 QUALIFY place <= 3 ORDER BY place NULLS FIRST
