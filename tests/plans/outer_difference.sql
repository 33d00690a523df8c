-- Two numbers of one table must hold together: the intervals are at level two.
WITH q AS (SELECT region, COUNT(*) AS n, SUM(cost) AS s FROM visits GROUP BY region)
SELECT a.region, a.n, a.n - b.n AS more FROM q a JOIN q b ON a.region < b.region WHERE a.s > 100 LIMIT 5
