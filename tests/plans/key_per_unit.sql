-- Grouped by the key, and by the unit, which is not written.
SELECT COUNT(*) AS n FROM (SELECT number, SUM(price) AS total FROM lines GROUP BY number) t WHERE total > 50
