-- q1
SELECT DATE_TRUNC('week', "source"."ts") AS "ts", COUNT(*) AS "count" FROM "public"."events" AS "source" GROUP BY DATE_TRUNC('week', "source"."ts") ORDER BY DATE_TRUNC('week', "source"."ts") ASC;
-- q2
SELECT "public"."orders"."status" AS "status", SUM("public"."orders"."total") AS "sum" FROM "public"."orders" GROUP BY "public"."orders"."status" ORDER BY "public"."orders"."status" ASC LIMIT 1000;
-- q3
SELECT COUNT(*) AS "count" FROM "public"."users" WHERE ("public"."users"."created_at" >= timestamp '2023-06-01 00:00:00' AND "public"."users"."created_at" < timestamp '2023-07-01 00:00:00');
-- q4
SELECT CAST(DATE_TRUNC('month', "orders"."created_at") AS date) AS "month", AVG("orders"."total") AS "avg" FROM "orders" WHERE "orders"."status" <> 'refunded' GROUP BY CAST(DATE_TRUNC('month', "orders"."created_at") AS date) ORDER BY 1;
-- q5
SELECT ((FLOOR(("users"."age" / 10.0)) * 10.0)) AS "age", COUNT(*) AS "count" FROM "users" GROUP BY ((FLOOR(("users"."age" / 10.0)) * 10.0)) ORDER BY "age" ASC;
-- q6
SELECT u.country, COUNT(DISTINCT e.user_id) AS active_users, COUNT(*) AS events FROM events e JOIN users u ON e.user_id = u.id GROUP BY u.country;
-- q7
SELECT p.section, COUNT(*) FILTER (WHERE e.event = 'view') AS views, COUNT(*) FILTER (WHERE e.event = 'click') AS clicks FROM events e LEFT JOIN pages p ON e.page_id = p.id GROUP BY p.section;
-- q8
SELECT p.path, COUNT(*) AS views FROM events AS e INNER JOIN pages AS p ON p.id = e.page_id WHERE e.event = 'view' GROUP BY p.path ORDER BY views DESC LIMIT 10;
-- q9
SELECT referrer, COUNT(*) FROM events WHERE referrer IS NOT NULL GROUP BY referrer HAVING COUNT(*) > 10;
-- q10
SELECT COALESCE(referrer, '(direct)') AS source, COUNT(*) AS n FROM events GROUP BY 1 ORDER BY 2 DESC;
-- q11
SELECT device, AVG(duration), MEDIAN(duration) FROM events GROUP BY device;
-- q12
SELECT ts::date AS day, COUNT(DISTINCT user_id) AS dau FROM events GROUP BY 1 ORDER BY 1;
-- q13
WITH daily AS (SELECT ts::date AS day, COUNT(DISTINCT user_id) AS dau FROM events GROUP BY 1) SELECT AVG(dau) FROM daily;
-- q14
SELECT COUNT(DISTINCT CASE WHEN event = 'purchase' THEN user_id END) * 1.0 / COUNT(DISTINCT user_id) AS conversion FROM events;
-- q15
SELECT COUNT(*) FROM users WHERE id IN (SELECT user_id FROM orders WHERE status = 'paid');
-- q16
SELECT COUNT(*) FROM users u WHERE NOT EXISTS (SELECT 1 FROM orders o WHERE o.user_id = u.id);
-- q17
SELECT u.plan, SUM(o.total - COALESCE(o.discount, 0)) AS net FROM orders o INNER JOIN users u ON u.id = o.user_id WHERE o.status = 'paid' GROUP BY u.plan;
-- q18
SELECT n, COUNT(*) AS users FROM (SELECT user_id, COUNT(*) AS n FROM orders GROUP BY user_id) t GROUP BY n ORDER BY n;
-- q19
SELECT LEAST(n, 5) AS orders, COUNT(*) AS users FROM (SELECT user_id, COUNT(*) AS n FROM orders GROUP BY user_id) t GROUP BY 1 ORDER BY 1;
-- q20
SELECT date_trunc('month', u.created_at) AS cohort, COUNT(DISTINCT o.user_id) FROM users u LEFT JOIN orders o ON o.user_id = u.id GROUP BY 1;
-- q21
SELECT is_active, COUNT(*) FROM users GROUP BY is_active;
-- q22
SELECT COUNT(*) FROM users WHERE is_active = TRUE AND (country = 'DE' OR country IS NULL);
-- q23
SELECT AVG(total) FROM orders WHERE discount IS NULL; -- a comment
-- q24
/* daily revenue */ SELECT CAST(created_at AS DATE) d, SUM(total) revenue FROM orders WHERE status IN ('paid', 'open') GROUP BY d ORDER BY d;
-- q25
SELECT EXTRACT(ISODOW FROM ts) AS dow, COUNT(ALL event) FROM events GROUP BY dow;
-- q26
SELECT country, AVG(age) AS mean_age, COUNT(1) AS n FROM users GROUP BY ALL ORDER BY ALL;
-- q27
SELECT COUNT(*) AS total, SUM(CASE WHEN status = 'paid' THEN 1 ELSE 0 END) AS paid, SUM(CASE WHEN status = 'refunded' THEN 1 ELSE 0 END) AS refunded FROM orders;
-- q28
SELECT status, COUNT(*) AS n, ROUND(100.0 * COUNT(*) / SUM(COUNT(*)) OVER (), 1) AS pct FROM orders GROUP BY status ORDER BY n DESC;
-- q29
WITH paid AS (SELECT * FROM orders WHERE status = 'paid'), young AS (SELECT id FROM users WHERE age < 30) SELECT COUNT(*), SUM(total) FROM paid JOIN young ON paid.user_id = young.id;
-- q30
SELECT event, COUNT(*) FROM events WHERE page_id IN (SELECT id FROM pages WHERE path LIKE '/blog/%') GROUP BY event;
-- q31
SELECT month, revenue, revenue - LAG(revenue) OVER (ORDER BY month) AS growth FROM (SELECT date_trunc('month', created_at) AS month, SUM(total) AS revenue FROM orders GROUP BY 1) t ORDER BY month;
-- q32
SELECT country FROM users GROUP BY country HAVING COUNT(*) > 200;
-- q33
SELECT COUNT(*) FROM events WHERE ts >= DATE '2024-02-01' AND ts < DATE '2024-02-01' + INTERVAL 7 DAY;
-- q34
SELECT u.country, o.status, COUNT(*) FROM users u, orders o WHERE u.id = o.user_id AND u.age >= 18 GROUP BY u.country, o.status ORDER BY u.country NULLS FIRST, o.status;
-- q35
SELECT CASE WHEN age < 18 THEN 'minor' WHEN age BETWEEN 18 AND 64 THEN 'adult' ELSE 'senior' END AS age_group, plan, COUNT(*) FROM users GROUP BY age_group, plan;
-- q36
SELECT AVG(first_gap) FROM (SELECT u.id, MIN(date_diff('day', u.created_at, o.created_at)) AS first_gap FROM users u JOIN orders o ON o.user_id = u.id GROUP BY u.id) t;
-- q37
SELECT AVG(LEAST(spent, 1000)) FROM (SELECT user_id, SUM(total) AS spent FROM orders GROUP BY user_id HAVING COUNT(*) >= 2) t;
-- q38
SELECT lower(plan) AS plan, count(*) filter (where is_active) as active, count(*) filter (where not is_active) as inactive from users group by lower(plan);
-- q39
SELECT DISTINCT device FROM events ORDER BY device;
-- q40
SELECT e.device, SUM(o.total) FROM events e JOIN orders o ON e.user_id = o.user_id WHERE e.event = 'purchase' AND e.ts::date = o.created_at::date GROUP BY e.device;
-- q41
SELECT COUNT(*) FROM users WHERE created_at::date = '2023-08-08';
-- q42
SELECT SUM(total)::numeric / COUNT(DISTINCT user_id) AS arpu FROM orders;
-- q43
SELECT subq.metric_time__month, SUM(subq.order_total) AS revenue FROM (SELECT DATE_TRUNC('month', orders_src.created_at) AS metric_time__month, orders_src.total AS order_total FROM orders orders_src WHERE orders_src.status = 'paid') subq GROUP BY subq.metric_time__month;
-- q44
SELECT subq_2.user__country, subq_2.orders FROM (SELECT users_src.country AS user__country, COUNT(subq_1.order_id) AS orders FROM (SELECT id AS order_id, user_id FROM orders) subq_1 LEFT OUTER JOIN users users_src ON subq_1.user_id = users_src.id GROUP BY users_src.country) subq_2;
-- q45
SELECT MAX(created_at), MIN(created_at) FROM orders;
