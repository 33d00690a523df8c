-- q1
SELECT COUNT(*) AS "count" FROM "public"."orders";
-- q2
SELECT DATE_TRUNC('month', "public"."orders"."created_at") AS "created_at", SUM("public"."orders"."total") AS "sum" FROM "public"."orders" GROUP BY DATE_TRUNC('month', "public"."orders"."created_at") ORDER BY DATE_TRUNC('month', "public"."orders"."created_at") ASC;
-- q3
SELECT "Products"."category" AS "Products__category", COUNT(*) AS "count" FROM "public"."orders" LEFT JOIN "public"."products" AS "Products" ON "public"."orders"."product_id" = "Products"."id" GROUP BY "Products"."category" ORDER BY "count" DESC, "Products"."category" ASC;
-- q4
SELECT "source"."created_at" AS "created_at", "source"."sum" AS "sum" FROM (SELECT CAST("public"."orders"."created_at" AS DATE) AS "created_at", SUM("public"."orders"."subtotal") AS "sum" FROM "public"."orders" GROUP BY CAST("public"."orders"."created_at" AS DATE) ORDER BY CAST("public"."orders"."created_at" AS DATE) ASC) AS "source" WHERE "source"."sum" > 100 LIMIT 1048575;
-- q5
SELECT "public"."people"."state" AS "state", COUNT(*) AS "count" FROM "public"."people" WHERE ("public"."people"."created_at" >= CAST('2023-01-01T00:00:00.000Z' AS timestamp) AND "public"."people"."created_at" < CAST('2024-01-01' AS timestamp)) GROUP BY "public"."people"."state" ORDER BY "public"."people"."state" ASC;
-- q6
SELECT "People - User"."source" AS "People - User__source", DATE_TRUNC('quarter', "public"."orders"."created_at") AS "created_at", COUNT(DISTINCT "public"."orders"."user_id") AS "count" FROM "public"."orders" LEFT JOIN "public"."people" AS "People - User" ON "public"."orders"."user_id" = "People - User"."id" GROUP BY "People - User"."source", DATE_TRUNC('quarter', "public"."orders"."created_at") ORDER BY 2 ASC, 1 ASC;
-- q7
SELECT FLOOR(("public"."orders"."total" / 20.0)) * 20.0 AS "total", COUNT(*) AS "count" FROM "public"."orders" GROUP BY FLOOR(("public"."orders"."total" / 20.0)) * 20.0 ORDER BY FLOOR(("public"."orders"."total" / 20.0)) * 20.0 ASC;
-- q8
SELECT FLOOR((("public"."people"."latitude" - -90) / 10.0)) * 10.0 + -90 AS "latitude", FLOOR((("public"."people"."longitude" - -180) / 10.0)) * 10.0 + -180 AS "longitude", COUNT(*) AS "count" FROM "public"."people" GROUP BY FLOOR((("public"."people"."latitude" - -90) / 10.0)) * 10.0 + -90, FLOOR((("public"."people"."longitude" - -180) / 10.0)) * 10.0 + -180;
-- q9
SELECT CAST(EXTRACT(dow FROM "public"."orders"."created_at") AS integer) + 1 AS "created_at", COUNT(*) AS "count" FROM "public"."orders" GROUP BY CAST(EXTRACT(dow FROM "public"."orders"."created_at") AS integer) + 1 ORDER BY 1;
-- q10
SELECT CAST(EXTRACT(hour FROM "public"."orders"."created_at") AS integer) AS "created_at", AVG("public"."orders"."total") AS "avg" FROM "public"."orders" GROUP BY CAST(EXTRACT(hour FROM "public"."orders"."created_at") AS integer);
-- q11
SELECT SUM(CASE WHEN "public"."orders"."discount" > 0 THEN 1 ELSE 0.0 END) AS "with_discount", CAST(SUM(CASE WHEN "public"."orders"."discount" > 5 THEN 1 ELSE 0.0 END) AS DOUBLE PRECISION) / NULLIF(CAST(COUNT(*) AS DOUBLE PRECISION), 0.0) AS "share" FROM "public"."orders";
-- q12
SELECT COUNT(*) AS "count" FROM (SELECT "public"."orders"."user_id" AS "user_id", COUNT(*) AS "count" FROM "public"."orders" GROUP BY "public"."orders"."user_id") AS "source" WHERE "source"."count" >= 10;
-- q13
SELECT "source"."user_id_2" AS "bucket", COUNT(*) FROM (SELECT "public"."orders"."user_id" AS "user_id", CASE WHEN COUNT(*) > 10 THEN 'many' ELSE 'few' END AS "user_id_2" FROM "public"."orders" GROUP BY "public"."orders"."user_id") AS "source" GROUP BY 1;
-- q14
SELECT DATE_TRUNC('week', ("public"."orders"."created_at" + INTERVAL '1 day')) + INTERVAL '-1 day' AS "created_at", COUNT(*) AS "count" FROM "public"."orders" WHERE "public"."orders"."created_at" >= DATE_TRUNC('month', (NOW() + INTERVAL '-6 month')) AND "public"."orders"."created_at" < DATE_TRUNC('month', NOW()) GROUP BY 1 ORDER BY 1;
-- q15
SELECT (CAST(DATE_TRUNC('week', CAST("public"."orders"."created_at" AS timestamp) + INTERVAL '1 day') AS timestamp) + INTERVAL '-1 day') AS "created_at", SUM("public"."orders"."total") AS "sum" FROM "public"."orders" GROUP BY (CAST(DATE_TRUNC('week', CAST("public"."orders"."created_at" AS timestamp) + INTERVAL '1 day') AS timestamp) + INTERVAL '-1 day') ORDER BY 1 ASC;
-- q16
SELECT "public"."people"."state" AS "state", "public"."people"."source" AS "source", COUNT(*) AS "count", GROUPING("public"."people"."state", "public"."people"."source") AS "pivot-grouping" FROM "public"."people" GROUP BY CUBE("public"."people"."state", "public"."people"."source");
-- q17
SELECT AVG("public"."orders"."total") AS "avg", STDDEV_POP("public"."orders"."total") AS "stddev", PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY "public"."orders"."quantity") AS "p90", MAX("public"."orders"."quantity") AS "max" FROM "public"."orders";
-- q18
SELECT "Products"."title" AS "Products__title", SUM("public"."orders"."quantity") AS "sum" FROM "public"."orders" INNER JOIN "public"."products" AS "Products" ON "public"."orders"."product_id" = "Products"."id" WHERE ("Products"."category" = 'Widget' OR "Products"."category" = 'Gizmo') AND (LOWER("Products"."vendor") LIKE '%vendor 1%') GROUP BY "Products"."title" ORDER BY "sum" DESC LIMIT 10;
-- q19
SELECT COUNT(*) AS "count" FROM "public"."people" WHERE ("public"."people"."email" IS NOT NULL AND ("public"."people"."email" <> '' OR "public"."people"."email" IS NULL)) AND (LOWER("public"."people"."email") LIKE '%gmail%');
-- q20
SELECT "source"."created_at" AS "created_at", "source"."count" AS "count", SUM("source"."count") OVER (ORDER BY "source"."created_at" ASC ROWS UNBOUNDED PRECEDING) AS "cumulative" FROM (SELECT DATE_TRUNC('month', "public"."people"."created_at") AS "created_at", COUNT(*) AS "count" FROM "public"."people" GROUP BY DATE_TRUNC('month', "public"."people"."created_at")) AS "source";
-- q21
SELECT "source"."net" AS "net", COUNT(*) FROM (SELECT ROUND("public"."orders"."total" - "public"."orders"."tax", 0) AS "net" FROM "public"."orders") AS "source" GROUP BY "source"."net";
-- q22
SELECT CASE WHEN "public"."orders"."total" < 40 THEN 'low' WHEN "public"."orders"."total" < 80 THEN 'mid' ELSE 'high' END AS "Band", COUNT(*) AS "count", COUNT(DISTINCT "public"."orders"."product_id") AS "products" FROM "public"."orders" GROUP BY CASE WHEN "public"."orders"."total" < 40 THEN 'low' WHEN "public"."orders"."total" < 80 THEN 'mid' ELSE 'high' END;
-- q23
SELECT CAST(FLOOR(EXTRACT(YEAR FROM AGE('2025-01-01'::timestamp, "public"."people"."birth_date"))) AS integer) AS age, COUNT(*) FROM "public"."people" GROUP BY 1;
-- q24
SELECT EXTRACT(YEAR FROM "public"."people"."birth_date") AS "y", COUNT(*) FROM "public"."people" GROUP BY EXTRACT(YEAR FROM "public"."people"."birth_date") ORDER BY 1;
-- q25
SELECT "public"."reviews"."rating" AS "rating", COUNT(*) AS "count" FROM "public"."reviews" WHERE "public"."reviews"."product_id" IN (1, 2, 3) GROUP BY "public"."reviews"."rating";
-- q26
SELECT p.category, AVG(r.rating)::numeric(10,2) AS avg_rating FROM reviews r JOIN products p ON p.id = r.product_id GROUP BY p.category HAVING COUNT(*) > 10 ORDER BY avg_rating DESC;
-- q27
SELECT count(*) FILTER (WHERE orders.total > 100) * 100.0 / count(*) AS pct FROM orders WHERE created_at BETWEEN '2023-01-01' AND '2023-12-31';
-- q28
select date_trunc('month', created_at)::date as month, count(distinct user_id) as mau from orders group by 1 order by 1;
-- q29
WITH first_orders AS (SELECT user_id, MIN(created_at) AS first_at FROM orders GROUP BY user_id) SELECT date_trunc('month', first_at) AS cohort, COUNT(*) AS users FROM first_orders GROUP BY 1 ORDER BY 1;
-- q30
WITH first_orders AS (SELECT user_id, date_trunc('month', MIN(created_at)) AS cohort FROM orders GROUP BY user_id) SELECT f.cohort, date_trunc('month', o.created_at) AS month, COUNT(DISTINCT o.user_id) AS users FROM orders o JOIN first_orders f ON f.user_id = o.user_id GROUP BY 1, 2 ORDER BY 1, 2;
-- q31
SELECT AVG(order_count) FROM (SELECT user_id, COUNT(*) AS order_count FROM orders GROUP BY user_id) t;
-- q32
SELECT state, COUNT(*) AS n, RANK() OVER (ORDER BY COUNT(*) DESC) AS rnk FROM people GROUP BY state;
-- q33
SELECT * FROM (SELECT p.category, date_trunc('year', o.created_at) y, SUM(o.total) AS rev, ROW_NUMBER() OVER (PARTITION BY p.category ORDER BY SUM(o.total) DESC) rn FROM orders o JOIN products p ON p.id = o.product_id GROUP BY 1, 2) z WHERE rn = 1;
-- q34
SELECT COALESCE(discount, 0) > 0 AS discounted, COUNT(*), SUM(total) FROM orders GROUP BY 1;
-- q35
SELECT SUM(total) AS revenue, SUM(total) / COUNT(DISTINCT user_id) AS arpu, COUNT(*)::float / COUNT(DISTINCT user_id) AS orders_per_user FROM orders WHERE created_at >= '2024-01-01'::date;
-- q36
SELECT p.vendor, SUM(o.quantity * p.price) AS gross FROM orders o INNER JOIN products p ON o.product_id = p.id GROUP BY p.vendor ORDER BY gross DESC LIMIT 5;
-- q37
SELECT SUM(o.total - p.price * o.quantity) FROM orders o, products p WHERE o.product_id = p.id;
-- q38
SELECT people.state, COUNT(orders.id) FROM people LEFT JOIN orders ON orders.user_id = people.id GROUP BY people.state;
-- q39
SELECT people.state, COUNT(*) FROM people LEFT JOIN orders ON orders.user_id = people.id WHERE orders.id IS NULL GROUP BY people.state;
-- q40
SELECT products.category, COUNT(orders.id) AS orders, COALESCE(SUM(orders.total), 0) AS revenue FROM products LEFT JOIN orders ON orders.product_id = products.id GROUP BY products.category;
-- q41
SELECT products.title, COUNT(orders.id) FROM products LEFT JOIN orders ON products.id = orders.product_id AND orders.total > 100 GROUP BY products.title;
-- q42
SELECT COUNT(*) FROM orders WHERE product_id = (SELECT id FROM products WHERE title = 'Product 7');
-- q43
SELECT COUNT(*) FROM orders o JOIN products p ON p.id = o.product_id WHERE p.price > (SELECT AVG(price) FROM products);
-- q44
SELECT COUNT(*) FROM people WHERE birth_date <= CURRENT_DATE - INTERVAL '40 years';
-- q45
SELECT extract(year from created_at)::int AS yr, extract(month from created_at)::int AS mo, sum(total)::numeric FROM orders GROUP BY 1,2 ORDER BY 1,2;
-- q46
SELECT CONCAT(state, '-', source) AS seg, COUNT(*) FROM people GROUP BY 1;
-- q47
SELECT split_part(email, '@', 2) AS domain, COUNT(*) FROM people GROUP BY 1 ORDER BY 2 DESC;
-- q48
SELECT substring(email from position('@' in email) + 1) AS domain, COUNT(*) FROM people GROUP BY 1;
-- q49
SELECT COUNT(*) FROM (SELECT DISTINCT user_id, product_id FROM orders) t;
-- q50
SELECT COUNT(*) FROM people p WHERE (SELECT COUNT(*) FROM orders o WHERE o.user_id = p.id) > 12;
-- q51
SELECT COUNT(*) FROM people p WHERE (SELECT SUM(total) FROM orders o WHERE o.user_id = p.id) > 1000;
-- q52
SELECT AVG((SELECT COUNT(*) FROM orders o WHERE o.user_id = p.id)) FROM people p;
-- q53
SELECT DISTINCT state FROM people ORDER BY state;
-- q54
SELECT category, COUNT(*) FROM products GROUP BY category;
-- q55
SELECT * FROM products WHERE price > 50 ORDER BY price DESC LIMIT 5;
-- q56
SELECT MIN(created_at) AS first, MAX(created_at) AS last FROM orders;
-- q57
SELECT date_part('year', age(timestamp '2025-01-01', birth_date)) AS age, COUNT(*) FROM people GROUP BY age ORDER BY age;
-- q58
SELECT EXTRACT(EPOCH FROM (MAX(created_at) - MIN(created_at))) / 86400 FROM orders;
-- q59
SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY total) FROM orders;
-- q60
SELECT CASE quantity WHEN 1 THEN 'one' WHEN 2 THEN 'two' ELSE 'more' END AS q, COUNT(*) FROM orders GROUP BY 1 ORDER BY 2 DESC;
-- q61
SELECT source, SUM(CASE WHEN state = 'CA' THEN 1 END) AS ca, SUM(CASE WHEN state = 'TX' THEN 1 END) AS tx FROM people GROUP BY source;
-- q62
SELECT COUNT(*) AS n, 'all' AS label, 1 AS one, NULL AS nothing FROM orders;
-- q63
SELECT GREATEST(MIN(total), 10) FROM orders;
-- q64
SELECT source, ROUND(AVG(latitude)::numeric, 2) FROM people GROUP BY source;
-- q65
SELECT date_trunc('day', created_at) + interval '12 hours' AS noon, COUNT(*) FROM orders WHERE created_at >= '2024-06-01' AND created_at < '2024-06-08' GROUP BY 1;
-- q66
SELECT created_at::date - '2022-01-01'::date AS days, COUNT(*) FROM people GROUP BY 1 HAVING COUNT(*) > 2 ORDER BY 1;
-- q67
SELECT COUNT(*) FROM orders WHERE EXTRACT(ISODOW FROM created_at) IN (6, 7);
-- q68
SELECT COUNT(*) FROM orders WHERE created_at::time BETWEEN '09:00' AND '17:00';
-- q69
SELECT o.product_id, p.title, COUNT(*) c FROM orders o JOIN products p ON o.product_id = p.id GROUP BY o.product_id, p.title ORDER BY c DESC LIMIT 3;
-- q70
SELECT o.product_id, p.title, p.price, SUM(o.quantity) FROM orders o JOIN products p ON o.product_id = p.id GROUP BY o.product_id, p.title, p.price;
-- q71
SELECT p.rating, COUNT(*) FROM orders o JOIN products p ON o.product_id = p.id GROUP BY p.rating;
-- q72
SELECT p.price > 50 AS pricey, AVG(o.total) FROM orders o JOIN products p ON o.product_id = p.id GROUP BY 1;
-- q73
SELECT (SELECT COUNT(*) FROM people) AS people, (SELECT COUNT(*) FROM orders) AS orders, (SELECT COUNT(*) FROM products) AS products;
-- q74
SELECT 'people' AS t, COUNT(*) AS n FROM people UNION ALL SELECT 'orders', COUNT(*) FROM orders UNION ALL SELECT 'products', COUNT(*) FROM products ORDER BY n;
-- q75
SELECT state, COUNT(*) FROM people GROUP BY state UNION SELECT source, COUNT(*) FROM people GROUP BY source;
-- q76
SELECT COUNT(*) FROM people WHERE id IN (SELECT user_id FROM orders UNION SELECT reviewer_id FROM reviews);
-- q77
SELECT COUNT(*) FROM people WHERE id IN (SELECT user_id FROM orders EXCEPT SELECT reviewer_id FROM reviews);
-- q78
SELECT COUNT(*) FROM (SELECT user_id FROM orders EXCEPT SELECT reviewer_id FROM reviews) x;
-- q79
SELECT COUNT(*) FROM (SELECT user_id AS u FROM orders UNION SELECT reviewer_id FROM reviews) x;
-- q80
SELECT cnt, COUNT(*) AS users FROM (SELECT user_id, COUNT(*) AS cnt FROM orders GROUP BY user_id) t GROUP BY cnt ORDER BY cnt;
-- q81
SELECT user_type, COUNT(*) FROM (SELECT id, CASE WHEN EXISTS (SELECT 1 FROM orders o WHERE o.user_id = people.id AND o.total > 130) THEN 'buyer' ELSE 'browser' END AS user_type FROM people) t GROUP BY user_type;
-- q82
SELECT COUNT(*) FILTER (WHERE id IN (SELECT user_id FROM orders WHERE total > 130)) AS big FROM people;
-- q83
SELECT CASE WHEN id IN (SELECT reviewer_id FROM reviews) THEN 'reviewer' ELSE 'other' END AS k, COUNT(*) FROM people GROUP BY 1;
-- q84
SELECT COUNT(*) FROM (SELECT user_id AS u FROM orders UNION SELECT reviewer_id FROM reviews) x;
-- q85
SELECT COUNT(*) FROM (SELECT user_id FROM orders EXCEPT SELECT reviewer_id FROM reviews) x;
-- q86
SELECT COUNT(*) FROM (SELECT user_id FROM orders INTERSECT SELECT reviewer_id FROM reviews WHERE rating > 3) x;
-- q87
SELECT COUNT(*) FROM people WHERE id IN (SELECT user_id FROM orders EXCEPT SELECT reviewer_id FROM reviews);
-- q88
SELECT p.title, COUNT(DISTINCT o.user_id), AVG(o.total), SUM(CASE WHEN o.quantity > 3 THEN 1 ELSE 0 END) FROM products p LEFT JOIN orders o ON p.id = o.product_id GROUP BY p.title;
-- q89
SELECT p.category, COUNT(o.id) FROM orders o RIGHT JOIN products p ON p.id = o.product_id AND o.total > 140 GROUP BY p.category ORDER BY 2 DESC;
-- q90
SELECT p.category, COUNT(pe.id), COUNT(DISTINCT pe.state) FROM products p LEFT JOIN orders o ON p.id = o.product_id LEFT JOIN people pe ON pe.id = o.user_id GROUP BY p.category;
-- q91
SELECT p.category, COUNT(*) FROM products p LEFT JOIN orders o ON p.id = o.product_id JOIN people pe ON pe.id = o.user_id GROUP BY p.category;
-- q92
SELECT AVG(COALESCE(n, 0)), SUM(n * 2 + 1) FROM people p LEFT JOIN (SELECT user_id, COUNT(*) n, SUM(total) spent FROM orders GROUP BY user_id) o ON o.user_id = p.id;
-- q93
SELECT AVG(n) FROM (SELECT user_id AS u, COUNT(*) AS n FROM orders GROUP BY user_id UNION ALL SELECT reviewer_id, COUNT(*) FROM reviews GROUP BY reviewer_id) t;
-- q94
SELECT AVG(products) FROM (SELECT user_id, COUNT(DISTINCT product_id) AS products FROM orders GROUP BY 1) t;
-- q95
SELECT AVG(d) FROM (SELECT user_id, date_trunc('month', created_at) m, SUM(quantity) AS d FROM orders GROUP BY 1, 2) t;
-- q96
SELECT EXTRACT(YEAR FROM AGE('2025-06-15'::date, birth_date)) AS age, COUNT(*) FROM people GROUP BY 1;
-- q97
SELECT date_part('year', age(timestamp '2025-01-01', birth_date)) AS age, COUNT(*) FROM people GROUP BY age ORDER BY age;
-- q98
SELECT AVG(EXTRACT(YEAR FROM AGE(birth_date))) FROM people;
-- q99
SELECT AVG(EXTRACT(YEAR FROM AGE(birth_date, DATE '1975-05-05'))) FROM people;
-- q100
SELECT CASE WHEN date_part('year', age(DATE '2025-06-15', birth_date)) < 40 THEN 'young' ELSE 'old' END AS k, COUNT(*) FROM people GROUP BY 1;
-- q101
SELECT COUNT(*) FROM people WHERE created_at >= CAST('2023-01-01T00:00:00.000Z' AS timestamp) AND created_at < '2024-1-5';
-- q102
SELECT COUNT(*) FROM people WHERE created_at >= timestamp with time zone '2023-01-01 00:00:00.000Z';
-- q103
SELECT COUNT(*) FROM people WHERE created_at >= timestamptz '2023-01-01 00:00:00.000Z';
-- q104
SELECT COUNT(*) FROM people WHERE created_at >= '2023-01-01T00:00:00Z';
