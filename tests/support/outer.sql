-- Statements around noisy answers, as dashboards, reports and people write them.

-- wrapped by tools
SELECT * FROM (SELECT region, COUNT(*) AS n, AVG(cost) AS c FROM visits WHERE region IS NOT NULL GROUP BY region) AS virtual_table LIMIT 1001;
SELECT * FROM (SELECT region, COUNT(*) AS n, AVG(cost) AS c FROM visits WHERE region IS NOT NULL GROUP BY region ORDER BY n DESC LIMIT 3) q;
SELECT source.region, SUM(source.n) AS total FROM (SELECT region, COUNT(*) AS n, AVG(cost) AS c FROM visits WHERE region IS NOT NULL GROUP BY region) source GROUP BY source.region ORDER BY source.region;
SELECT q.region AS region, q.n AS n FROM (SELECT region, COUNT(*) AS n, AVG(cost) AS c FROM visits WHERE region IS NOT NULL GROUP BY region) AS q WHERE (q.n > 900) ORDER BY q.n DESC, q.region;
SELECT COUNT(*) AS a FROM (SELECT region, COUNT(*) AS n, AVG(cost) AS c FROM visits WHERE region IS NOT NULL GROUP BY region) q;
SELECT MAX(n) AS a, MIN(n) AS b, AVG(c) AS d FROM (SELECT region, COUNT(*) AS n, AVG(cost) AS c FROM visits WHERE region IS NOT NULL GROUP BY region) q;
SELECT outermost.x FROM (SELECT inside.n * 2 AS x FROM (SELECT region, COUNT(*) AS n, AVG(cost) AS c FROM visits WHERE region IS NOT NULL GROUP BY region) inside) outermost WHERE outermost.x > 100;
SELECT region, n FROM (SELECT region, COUNT(*) AS n, AVG(cost) AS c FROM visits WHERE region IS NOT NULL GROUP BY region) q(region, n, c) WHERE n > 10;
WITH q(a, b, c) AS (SELECT region, COUNT(*) AS n, AVG(cost) AS c FROM visits WHERE region IS NOT NULL GROUP BY region) SELECT a, b FROM q;

-- year over year, running totals, shares, ranks
WITH m AS (SELECT DATE_TRUNC('month', day) AS month, SUM(cost) AS s, COUNT(*) AS n FROM visits GROUP BY 1) SELECT *, s - LAG(s) OVER (ORDER BY month) AS more FROM m;
WITH m AS (SELECT DATE_TRUNC('month', day) AS month, SUM(cost) AS s, COUNT(*) AS n FROM visits GROUP BY 1) SELECT a.month, a.n - b.n AS d FROM m a JOIN m b ON b.month = a.month - INTERVAL '1 month';
WITH m AS (SELECT DATE_TRUNC('month', day) AS month, SUM(cost) AS s, COUNT(*) AS n FROM visits GROUP BY 1) SELECT month, SUM(s) OVER (ORDER BY month) AS running FROM m ORDER BY month;
WITH m AS (SELECT DATE_TRUNC('month', day) AS month, SUM(cost) AS s, COUNT(*) AS n FROM visits GROUP BY 1) SELECT month, AVG(n) OVER (ORDER BY month ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) AS a FROM m;
WITH m AS (SELECT DATE_TRUNC('month', day) AS month, SUM(cost) AS s, COUNT(*) AS n FROM visits GROUP BY 1) SELECT EXTRACT(quarter FROM month) AS q, SUM(s) AS s FROM m GROUP BY 1 ORDER BY 1;
SELECT region, 100.0 * COUNT(*) / SUM(COUNT(*)) OVER () AS share FROM visits GROUP BY region;
SELECT region, COUNT(*) AS n, RANK() OVER (ORDER BY COUNT(*) DESC) AS place FROM visits GROUP BY region;
SELECT region, urgent, SUM(cost) AS s, SUM(cost) * 100.0 / SUM(SUM(cost)) OVER (PARTITION BY region) AS p FROM visits GROUP BY region, urgent;
SELECT DATE_TRUNC('month', day) AS m, SUM(SUM(cost)) OVER (ORDER BY DATE_TRUNC('month', day)) AS run FROM visits GROUP BY DATE_TRUNC('month', day) ORDER BY m;
SELECT region, COUNT(*) AS n FROM visits GROUP BY region QUALIFY ROW_NUMBER() OVER (ORDER BY COUNT(*) DESC) <= 2;
SELECT v.region, AVG(cost) - AVG(AVG(cost)) OVER () AS d FROM visits v WHERE v.region IS NOT NULL GROUP BY region;
SELECT region, COUNT(*) AS n, NTILE(2) OVER w AS half FROM visits GROUP BY region WINDOW w AS (ORDER BY COUNT(*));
SELECT region, FIRST_VALUE(region) OVER (ORDER BY COUNT(*) DESC) AS best FROM visits GROUP BY region;

-- whole division, of numbers on both sides of zero
SELECT region, (SUM(age) - 50000) // 7000 AS a, SUM(age) // COUNT(*) AS b, -COUNT(*) // 7 AS c, -COUNT(*) % 7 AS d, 9 // 2 // 2 AS e FROM visits WHERE region IS NOT NULL GROUP BY region;

-- set operations
SELECT region, n FROM (SELECT region, COUNT(*) AS n, AVG(cost) AS c FROM visits WHERE region IS NOT NULL GROUP BY region) a UNION ALL SELECT region, n FROM (SELECT region, COUNT(*) AS n FROM visits WHERE urgent AND region IS NOT NULL GROUP BY region) b;
SELECT region FROM (SELECT region, COUNT(*) AS n, AVG(cost) AS c FROM visits WHERE region IS NOT NULL GROUP BY region) a WHERE n > 900 INTERSECT SELECT region FROM (SELECT region, COUNT(*) AS n FROM visits WHERE urgent AND region IS NOT NULL GROUP BY region) b WHERE n > 10;
SELECT region FROM (SELECT region, COUNT(*) AS n, AVG(cost) AS c FROM visits WHERE region IS NOT NULL GROUP BY region) a EXCEPT SELECT region FROM (SELECT region, COUNT(*) AS n FROM visits WHERE urgent AND region IS NOT NULL GROUP BY region) b WHERE n > 280;
SELECT region FROM (SELECT region, COUNT(*) AS n, AVG(cost) AS c FROM visits WHERE region IS NOT NULL GROUP BY region) a UNION SELECT region FROM (SELECT region, COUNT(*) AS n FROM visits WHERE urgent AND region IS NOT NULL GROUP BY region) b ORDER BY region;
SELECT region, COUNT(*) AS n FROM visits GROUP BY region UNION ALL SELECT 'all', COUNT(*) FROM visits;
(SELECT region, COUNT(*) AS n FROM visits GROUP BY 1) UNION ALL (SELECT ward, COUNT(*) FROM stays GROUP BY 1);

-- joins of noisy answers, and with public tables
WITH a AS (SELECT region, COUNT(*) AS n, AVG(cost) AS c FROM visits WHERE region IS NOT NULL GROUP BY region), b AS (SELECT region, COUNT(*) AS n FROM visits WHERE urgent AND region IS NOT NULL GROUP BY region) SELECT a.region, b.n * 100.0 / a.n AS p FROM a JOIN b ON a.region = b.region;
WITH a AS (SELECT region, COUNT(*) AS n, AVG(cost) AS c FROM visits WHERE region IS NOT NULL GROUP BY region), b AS (SELECT region, COUNT(*) AS n FROM visits WHERE urgent AND region IS NOT NULL GROUP BY region) SELECT * FROM a JOIN b USING (region) ORDER BY region;
WITH a AS (SELECT region, COUNT(*) AS n, AVG(cost) AS c FROM visits WHERE region IS NOT NULL GROUP BY region), b AS (SELECT * FROM (SELECT region, COUNT(*) AS n FROM visits WHERE urgent AND region IS NOT NULL GROUP BY region) u WHERE n > 290) SELECT a.region, b.n FROM a LEFT JOIN b ON a.region = b.region ORDER BY 1;
SELECT h.city, SUM(q.n) AS n FROM (SELECT hospital, COUNT(*) AS n FROM visits GROUP BY hospital) q JOIN hospitals h ON h.hospital = q.hospital GROUP BY h.city;
SELECT city FROM hospitals WHERE beds > (SELECT AVG(n) / 10 FROM (SELECT region, COUNT(*) AS n, AVG(cost) AS c FROM visits WHERE region IS NOT NULL GROUP BY region) q) ORDER BY city;

-- scalar subqueries
SELECT (SELECT COUNT(*) FROM visits WHERE urgent) * 1.0 / (SELECT COUNT(*) FROM visits) AS p;
SELECT COUNT(*) * 1.0 / (SELECT COUNT(*) FROM visits) AS p FROM visits WHERE urgent;
SELECT region, COUNT(*) - (SELECT COUNT(*) FROM stays) AS d FROM visits GROUP BY region;
SELECT region FROM (SELECT region, COUNT(*) AS n, AVG(cost) AS c FROM visits WHERE region IS NOT NULL GROUP BY region) q WHERE n > (SELECT AVG(n) FROM (SELECT region, COUNT(*) AS n, AVG(cost) AS c FROM visits WHERE region IS NOT NULL GROUP BY region) r);
SELECT region, n FROM (SELECT region, COUNT(*) AS n, AVG(cost) AS c FROM visits WHERE region IS NOT NULL GROUP BY region) q WHERE n = (SELECT MAX(n) FROM (SELECT region, COUNT(*) AS n, AVG(cost) AS c FROM visits WHERE region IS NOT NULL GROUP BY region) r);
SELECT region FROM (SELECT region, COUNT(*) AS n, AVG(cost) AS c FROM visits WHERE region IS NOT NULL GROUP BY region) q WHERE EXISTS (SELECT 1 FROM (SELECT region, COUNT(*) AS n FROM visits WHERE urgent AND region IS NOT NULL GROUP BY region) u WHERE u.region = q.region AND u.n > 290);
SELECT region, COUNT(*) AS n FROM visits GROUP BY region HAVING COUNT(*) > (SELECT COUNT(*) / 5 FROM visits);

-- private rows below, named once
WITH v AS (SELECT * FROM visits WHERE age > 40), a AS (SELECT region, COUNT(*) AS n FROM v GROUP BY region), b AS (SELECT region, SUM(cost) AS s FROM v GROUP BY region) SELECT a.region, s / n AS mean FROM a JOIN b USING (region);
WITH p AS (SELECT patient_id, COUNT(*) AS n FROM visits GROUP BY patient_id), d AS (SELECT CASE WHEN n > 4 THEN 'many' ELSE 'few' END AS k, COUNT(*) AS people FROM p GROUP BY 1) SELECT k, people * 100.0 / SUM(people) OVER () AS share FROM d;

-- around aggregates
SELECT region, LN(COUNT(*)) AS a, POWER(COUNT(*), 2) AS b, LOG(COUNT(*)) AS c FROM visits GROUP BY region;
SELECT region, NULLIF(COUNT(*), 0) AS a, CAST(AVG(cost) AS INTEGER) AS b, COUNT(*)::VARCHAR AS c FROM visits GROUP BY 1;
SELECT CONCAT(region, ': ', COUNT(*)) AS a, UPPER(region) AS b FROM visits WHERE region IS NOT NULL GROUP BY region;
SELECT STRFTIME(DATE_TRUNC('month', day), '%Y-%m') AS m, COUNT(*) AS n FROM visits GROUP BY DATE_TRUNC('month', day);
SELECT DISTINCT COUNT(*) > 10 AS many FROM visits GROUP BY region;
SELECT COUNT(*) // 7 AS a, COUNT(*) % 7 AS b FROM visits;
SELECT COUNT(*) / (COUNT(*) - COUNT(*)) AS a, 0.0 / (COUNT(*) - COUNT(*)) AS b, SUM(age) / COUNT(*) AS c, LN(COUNT(*) - COUNT(*)) AS d FROM visits;

-- sorting and first rows
SELECT region, COUNT(*) AS n FROM visits GROUP BY region ORDER BY region NULLS FIRST;
SELECT region, COUNT(*) AS n FROM visits GROUP BY region ORDER BY region DESC NULLS LAST;
SELECT region, urgent, COUNT(*) AS n FROM visits GROUP BY ALL ORDER BY ALL;
SELECT region, COUNT(*) AS n FROM visits GROUP BY region ORDER BY n DESC FETCH FIRST 2 ROWS ONLY;

-- sets of keys
SELECT region, urgent, COUNT(*) AS n FROM visits GROUP BY ROLLUP (region, urgent);
SELECT region, urgent, COUNT(*) AS n, SUM(cost) AS s FROM visits GROUP BY CUBE (region, urgent);
SELECT region, urgent, GROUPING(region) AS g, GROUPING(region, urgent) AS h, COUNT(*) AS n FROM visits GROUP BY GROUPING SETS ((region, urgent), (region), ());
SELECT region, urgent, AVG(cost) AS a FROM visits GROUP BY region, ROLLUP (urgent) ORDER BY a;
SELECT COALESCE(region, 'all') AS k, COUNT(*) AS n FROM visits WHERE region IS NOT NULL GROUP BY ROLLUP (region) HAVING COUNT(*) > 10 ORDER BY n DESC;
SELECT region, COUNT(*) * 100.0 / SUM(COUNT(*)) OVER (PARTITION BY GROUPING(region)) AS p FROM visits GROUP BY ROLLUP (region);
