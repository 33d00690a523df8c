-- row by row
SELECT COUNT(*) AS a FROM (SELECT * FROM visits WHERE age >= 18) t;
SELECT AVG(c) AS a FROM (SELECT cost * 2 AS c, age FROM visits) t WHERE age < 50;
WITH v AS (SELECT age + 1 AS older, region FROM visits WHERE urgent) SELECT region AS k, SUM(older) AS a FROM v
    GROUP BY region;
WITH v AS (SELECT * FROM visits WHERE urgent), w(a, b) AS (SELECT age, cost FROM v) SELECT SUM(a) AS a FROM w;
SELECT x.region AS k, COUNT(*) AS a FROM (SELECT v.* FROM visits v) x GROUP BY x.region;

-- one row per unit
SELECT COUNT(*) AS a FROM visits WHERE patient_id IN (SELECT patient_id FROM visits WHERE age > 50 INTERSECT SELECT
    patient_id FROM visits WHERE urgent);
SELECT COUNT(*) AS a FROM visits WHERE patient_id NOT IN ((SELECT patient_id FROM visits WHERE age > 90) UNION ALL
    SELECT patient_id FROM visits WHERE cost > 200);
SELECT AVG(LEAST(GREATEST(total, 0), 3000)) AS a FROM (SELECT patient_id, SUM(cost) AS total, COUNT(*) AS n FROM
    visits GROUP BY patient_id) t;
SELECT AVG(total) AS a FROM (SELECT patient_id, LEAST(GREATEST(SUM(cost), 0), 3000) AS total FROM visits GROUP BY
    patient_id) t;
SELECT LEAST(n, 9) AS k, COUNT(*) AS a FROM (SELECT patient_id, SUM(cost) AS total, COUNT(*) AS n FROM visits GROUP
    BY patient_id) t GROUP BY k;
SELECT COUNT(*) AS a, COUNT(DISTINCT patient_id) AS b FROM (SELECT patient_id, SUM(cost) AS total, COUNT(*) AS n
    FROM visits GROUP BY patient_id) t WHERE n > 3;
SELECT COUNT(*) AS a FROM (SELECT patient_id FROM visits GROUP BY patient_id HAVING COUNT(*) > 2 AND SUM(cost) >
    100) t;
SELECT AVG(youngest) AS a, AVG(oldest) AS b, AVG(mean) AS c FROM (SELECT patient_id, MIN(age) AS youngest, MAX(age)
    AS oldest, AVG(cost) AS mean FROM visits GROUP BY patient_id) t;
SELECT SUM(LEAST(regions, 4)) AS a, AVG(LEAST(u, 10)) AS b FROM (SELECT patient_id, COUNT(DISTINCT region) AS
    regions, COUNT(*) FILTER (WHERE urgent) AS u FROM visits GROUP BY 1) t;
SELECT ever AS k, COUNT(*) AS a FROM (SELECT patient_id, BOOL_OR(urgent) AS ever FROM visits GROUP BY patient_id) t
    GROUP BY ever;
SELECT first AS k, COUNT(*) AS a FROM (SELECT patient_id, MIN(region) AS first FROM visits WHERE region IN ('north',
    'east') GROUP BY patient_id) t WHERE first IN ('north', 'east') GROUP BY first;
SELECT AVG(LEAST(GREATEST(s, -100), 100)) AS a, COUNT(s) AS b FROM (SELECT patient_id, SUM(score) AS s FROM visits
    GROUP BY patient_id) t;

-- one row per unit and key, and DISTINCT
SELECT region AS k, COUNT(*) AS a FROM (SELECT DISTINCT patient_id, region FROM visits) t GROUP BY region;
SELECT region AS k, AVG(LEAST(n, 20)) AS a FROM (SELECT patient_id, region, COUNT(*) AS n FROM visits GROUP BY
    patient_id, region) t GROUP BY region;
SELECT COUNT(*) AS a FROM (SELECT DISTINCT patient_id FROM visits WHERE urgent) t;
SELECT DISTINCT region AS k, COUNT(*) AS a FROM visits GROUP BY region;

-- aggregates of aggregates
SELECT AVG(LEAST(m, 20)) AS a FROM (SELECT patient_id, MAX(n) AS m FROM (SELECT patient_id, region, COUNT(*) AS n
    FROM visits GROUP BY 1, 2) s GROUP BY patient_id) t;

-- public joins
SELECT h.city AS k, COUNT(*) AS a, AVG(v.cost) AS b FROM visits v JOIN hospitals h ON v.hospital = h.hospital GROUP
    BY h.city;
SELECT city AS k, AVG(cost) AS a FROM visits JOIN hospitals USING (hospital) GROUP BY city;
SELECT AVG(cost) AS a FROM visits v LEFT JOIN hospitals h ON v.hospital = h.hospital WHERE h.city IS NULL;
SELECT COUNT(h.city) AS a, COUNT(*) AS b FROM visits v LEFT JOIN hospitals h ON v.hospital = h.hospital;
SELECT AVG(beds) AS a FROM hospitals JOIN visits USING (hospital) WHERE hospital > 2;
SELECT city AS k, COUNT(*) AS a FROM visits JOIN (SELECT hospital, city FROM hospitals WHERE beds > 50) h USING
    (hospital) GROUP BY city;
SELECT COUNT(big) AS a, SUM(COALESCE(big, 7)) AS b FROM visits v LEFT JOIN (SELECT hospital, COALESCE(beds, 0) * 2
    AS big FROM hospitals WHERE beds > 50) h ON v.hospital = h.hospital;
SELECT COUNT(*) AS a FROM visits v JOIN (SELECT city, MAX(beds) AS most, COUNT(*) AS n FROM hospitals GROUP BY city)
    h ON v.hospital = h.n WHERE most > 100;

-- private joins
SELECT s.ward AS k, AVG(v.cost) AS a, COUNT(*) AS b FROM visits v JOIN stays s ON v.patient_id = s.patient_id GROUP
    BY s.ward;
SELECT COUNT(*) AS a FROM visits JOIN stays USING (patient_id) WHERE nights > 3 AND urgent;
SELECT COUNT(*) AS a, COUNT(s.nights) AS b FROM visits v LEFT JOIN stays s ON s.patient_id = v.patient_id AND
    s.nights > 20;
SELECT COUNT(*) AS a, COUNT(DISTINCT v.patient_id) AS b FROM visits v JOIN visits w ON v.patient_id = w.patient_id
    WHERE v.day < w.day;
SELECT t.ward AS k, AVG(LEAST(n, 10)) AS a FROM stays t JOIN (SELECT patient_id, COUNT(*) AS n FROM visits GROUP BY
    patient_id) c ON c.patient_id = t.patient_id GROUP BY t.ward;
SELECT AVG(LEAST(a.n, 9)) AS a, AVG(LEAST(b.m, 90)) AS b FROM (SELECT patient_id, COUNT(*) AS n FROM visits GROUP BY
    1) a JOIN (SELECT patient_id, SUM(nights) AS m FROM stays GROUP BY 1) b ON a.patient_id = b.patient_id;
SELECT h.city AS k, SUM(s.nights) AS a FROM visits v JOIN stays s ON v.patient_id = s.patient_id JOIN hospitals h ON
    h.hospital = v.hospital WHERE h.city IS NOT NULL GROUP BY h.city;
SELECT COUNT(*) AS a FROM visits v JOIN stays s ON v.patient_id = s.patient_id JOIN visits w ON w.patient_id =
    s.patient_id AND w.urgent;

-- IN
SELECT COUNT(*) AS a FROM visits WHERE patient_id IN (SELECT patient_id FROM stays WHERE ward = 'a');
SELECT region AS k, COUNT(*) AS a FROM visits WHERE patient_id NOT IN (SELECT patient_id FROM stays WHERE nights > 9
    AND patient_id IS NOT NULL) GROUP BY region;
SELECT AVG(cost) AS a FROM visits WHERE patient_id IN (SELECT patient_id FROM visits GROUP BY patient_id HAVING
    COUNT(*) > 5);
SELECT COUNT(*) AS a FROM visits WHERE hospital IN (SELECT hospital FROM hospitals WHERE beds > 50);
SELECT COUNT(*) AS a FROM visits WHERE hospital NOT IN (SELECT hospital FROM hospitals) OR urgent;
SELECT COUNT(*) AS a FROM visits WHERE NULLIF(hospital, 3) NOT IN (SELECT hospital FROM hospitals WHERE beds > 99999);
SELECT COUNT(*) AS a FROM visits WHERE NULLIF(hospital, 3) NOT IN (SELECT hospital FROM hospitals WHERE hospital < 3);
SELECT COUNT(*) AS a FROM visits WHERE (NULLIF(hospital, 3) IN (SELECT hospital FROM hospitals WHERE hospital < 3)) IS
    NULL OR (NULLIF(hospital, 4) IN (SELECT hospital FROM hospitals WHERE beds > 99999)) IS NULL;
SELECT NULLIF(hospital, 3) NOT IN (SELECT hospital FROM hospitals WHERE beds > 99999) AS k, COUNT(*) AS a, SUM(CASE
    WHEN NULL NOT IN (SELECT hospital FROM hospitals WHERE beds > 99999) THEN 1 ELSE 0 END) AS b FROM visits GROUP BY 1;
SELECT COUNT(*) FILTER (WHERE patient_id IN (SELECT patient_id FROM stays)) AS a, COUNT(*) AS b FROM visits;
SELECT COUNT(*) AS a FROM visits WHERE patient_id IN (SELECT patient_id FROM stays) AND patient_id IN (SELECT
    patient_id FROM visits WHERE urgent) AND hospital IN (SELECT hospital FROM hospitals);

-- UNION ALL
SELECT COUNT(*) AS a, COUNT(DISTINCT p) AS b FROM (SELECT patient_id AS p FROM visits UNION ALL SELECT patient_id
    FROM stays) t;
SELECT k AS k, SUM(x) AS a FROM (SELECT region AS k, cost AS x FROM visits UNION ALL SELECT 'stay', nights FROM
    stays UNION ALL SELECT NULL, 1 FROM stays) t WHERE k IN ('north', 'stay') GROUP BY k;
WITH u AS (SELECT patient_id, age FROM visits UNION ALL SELECT patient_id, age FROM visits) SELECT AVG(LEAST(n, 50))
    AS a FROM (SELECT patient_id, COUNT(*) AS n FROM u GROUP BY patient_id) t;

-- subqueries for one value
SELECT COUNT(*) AS a FROM visits WHERE hospital * 100 > (SELECT AVG(beds) FROM hospitals);
SELECT region AS k, COUNT(*) AS a FROM visits v WHERE (SELECT MAX(h.beds) FROM hospitals h WHERE h.hospital =
    v.hospital) > 50 GROUP BY region;
SELECT COUNT(*) AS a FROM visits v WHERE (SELECT COUNT(*) FROM stays s WHERE s.patient_id = v.patient_id) = 0;
SELECT AVG((SELECT COUNT(*) FROM stays s WHERE s.patient_id = v.patient_id AND nights > 3)) AS a FROM visits v;
SELECT AVG(cost) AS a FROM visits v WHERE cost > (SELECT AVG(w.cost) FROM visits w WHERE w.patient_id = v.patient_id);
SELECT AVG(cost) AS a FROM visits WHERE hospital = (SELECT hospital FROM hospitals WHERE beds = 250);
SELECT AVG(mark) AS a FROM survey WHERE hospital >= (SELECT MIN(hospital) + 2 FROM hospitals WHERE beds > 50);

-- UNION, INTERSECT, EXCEPT
SELECT COUNT(*) AS a FROM (SELECT patient_id FROM visits UNION SELECT patient_id FROM stays) t;
SELECT COUNT(*) AS a FROM (SELECT patient_id FROM visits WHERE urgent INTERSECT SELECT patient_id FROM stays) t;
SELECT b AS k, COUNT(*) AS a FROM (SELECT patient_id, urgent AS b FROM visits EXCEPT SELECT patient_id, nights > 9
    FROM stays) t GROUP BY b;

-- what a person's rows add up to, without bounds of its own
SELECT AVG(n) AS a, SUM(total) AS b FROM (SELECT patient_id, COUNT(*) AS n, SUM(cost) AS total FROM visits GROUP BY
    patient_id) t;
SELECT s.ward AS k, AVG(c.n * 2 + 1) AS a FROM stays s LEFT JOIN (SELECT patient_id, COUNT(*) AS n FROM visits GROUP
    BY patient_id) c USING (patient_id) GROUP BY s.ward;

-- public tables that keep their rows, and those that are compared
SELECT h.city AS k, COUNT(v.cost) AS a, SUM(v.cost) AS b, COUNT(DISTINCT v.patient_id) AS c FROM hospitals h LEFT JOIN
    visits v ON v.hospital = h.hospital AND v.age > 50 GROUP BY h.city;
SELECT h.city AS k, SUM(CASE WHEN v.urgent THEN 1 ELSE 0 END) AS a, COUNT(s.nights) AS b FROM visits v RIGHT JOIN
    hospitals h ON v.hospital = h.hospital LEFT JOIN stays s ON s.patient_id = v.patient_id GROUP BY h.city;
SELECT h.city AS k, AVG(v.cost) AS a FROM visits v JOIN hospitals h ON v.hospital >= h.hospital AND h.beds > v.age
    GROUP BY h.city;

-- rows that are units of their own
SELECT h.city AS k, AVG(mark) AS a, COUNT(*) AS b FROM survey s JOIN hospitals h ON s.hospital = h.hospital GROUP BY
    h.city;
SELECT AVG(mark) AS a FROM survey WHERE hospital IN (SELECT hospital FROM hospitals WHERE beds > 50);
SELECT AVG(m) AS a FROM (SELECT mark * 2 AS m FROM survey WHERE hospital > 2) t;
SELECT COUNT(*) AS a FROM survey s LEFT JOIN hospitals h ON h.hospital = s.hospital AND h.beds > 50 WHERE h.beds IS
    NULL;

-- units under private keys
SELECT reason AS k, COUNT(DISTINCT patient_id) AS a, AVG(cost) AS b FROM visits GROUP BY reason;
SELECT reason AS k, COUNT(DISTINCT v.patient_id) AS a FROM visits v JOIN stays s USING (patient_id) GROUP BY reason;
