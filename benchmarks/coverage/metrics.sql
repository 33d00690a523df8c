-- q1
SELECT SUM(bookings) AS bookings FROM (SELECT 1 AS bookings FROM demo.fct_bookings bookings_source_src_28000) subq_2;
-- q2
SELECT metric_time__day, SUM(bookings) AS bookings FROM (SELECT DATE_TRUNC('day', ds) AS metric_time__day, 1 AS bookings FROM demo.fct_bookings bookings_source_src_28000) subq_2 GROUP BY metric_time__day;
-- q3
SELECT subq_3.metric_time__month AS metric_time__month, listings_latest_src_28000.country AS listing__country_latest, SUM(subq_3.booking_value) AS booking_value FROM (SELECT DATE_TRUNC('month', ds) AS metric_time__month, listing_id AS listing, booking_value FROM demo.fct_bookings bookings_source_src_28000) subq_3 LEFT OUTER JOIN demo.dim_listings_latest listings_latest_src_28000 ON subq_3.listing = listings_latest_src_28000.listing_id GROUP BY subq_3.metric_time__month, listings_latest_src_28000.country;
-- q4
SELECT metric_time__day AS metric_time__day, CAST(bookings AS DOUBLE) / CAST(NULLIF(views, 0) AS DOUBLE) AS bookings_per_view FROM (SELECT COALESCE(subq_6.metric_time__day, subq_13.metric_time__day) AS metric_time__day, MAX(subq_6.bookings) AS bookings, MAX(subq_13.views) AS views FROM (SELECT metric_time__day, SUM(bookings) AS bookings FROM (SELECT DATE_TRUNC('day', ds) AS metric_time__day, 1 AS bookings FROM demo.fct_bookings b) subq_4 GROUP BY metric_time__day) subq_6 FULL OUTER JOIN (SELECT metric_time__day, SUM(views) AS views FROM (SELECT DATE_TRUNC('day', ds) AS metric_time__day, 1 AS views FROM demo.fct_views v) subq_11 GROUP BY metric_time__day) subq_13 ON subq_6.metric_time__day = subq_13.metric_time__day GROUP BY COALESCE(subq_6.metric_time__day, subq_13.metric_time__day)) subq_14;
-- q5
SELECT COUNT(DISTINCT bookers) AS bookers FROM (SELECT guest_id AS bookers FROM demo.fct_bookings bookings_source_src_28000) subq_2;
-- q6
SELECT subq_9.metric_time__month, COUNT(DISTINCT subq_9.bookers) AS bookers FROM (SELECT DATE_TRUNC('month', ds) AS metric_time__month, guest_id AS bookers, is_instant AS booking__is_instant FROM demo.fct_bookings bookings_source_src_28000) subq_9 WHERE subq_9.booking__is_instant GROUP BY subq_9.metric_time__month;
-- q7
SELECT AVG(average_booking_value) AS average_booking_value FROM (SELECT booking_value AS average_booking_value FROM demo.fct_bookings x) subq_2;
-- q8
SELECT user__home_state_latest, SUM(bookings) AS bookings FROM (SELECT users_latest.home_state AS user__home_state_latest, subq_1.bookings AS bookings FROM (SELECT guest_id AS guest, 1 AS bookings FROM demo.fct_bookings src) subq_1 LEFT OUTER JOIN demo.dim_users users_latest ON subq_1.guest = users_latest.user_id) subq_5 WHERE user__home_state_latest = 'CA' GROUP BY user__home_state_latest;
-- q9
SELECT subq_2.metric_time__day AS metric_time__day, COUNT(DISTINCT subq_1.bookers) AS weekly_bookers FROM (SELECT ds AS metric_time__day FROM demo.mf_time_spine subq_3 WHERE ds BETWEEN '2020-03-01' AND '2020-03-07') subq_2 INNER JOIN (SELECT DATE_TRUNC('day', ds) AS metric_time__day, guest_id AS bookers FROM demo.fct_bookings b) subq_1 ON (subq_1.metric_time__day <= subq_2.metric_time__day) AND (subq_1.metric_time__day > subq_2.metric_time__day - INTERVAL 7 day) GROUP BY subq_2.metric_time__day;
-- q10
SELECT subq_9.metric_time__day AS metric_time__day, subq_8.bookings AS bookings FROM (SELECT ds AS metric_time__day FROM demo.mf_time_spine) subq_9 LEFT OUTER JOIN (SELECT DATE_TRUNC('day', ds) AS metric_time__day, COUNT(*) AS bookings FROM demo.fct_bookings GROUP BY 1) subq_8 ON subq_9.metric_time__day = subq_8.metric_time__day;
-- q11
SELECT metric_time__day, COALESCE(bookings, 0) AS bookings_fill_nulls_with_0 FROM (SELECT subq_5.ds AS metric_time__day, subq_3.bookings AS bookings FROM demo.mf_time_spine subq_5 LEFT OUTER JOIN (SELECT metric_time__day, SUM(bookings) AS bookings FROM (SELECT DATE_TRUNC('day', ds) AS metric_time__day, 1 AS bookings FROM demo.fct_bookings) subq_2 GROUP BY metric_time__day) subq_3 ON subq_5.ds = subq_3.metric_time__day) subq_6;
-- q12
WITH sma_28009_cte AS (SELECT DATE_TRUNC('day', ds) AS metric_time__day, is_instant AS booking__is_instant, 1 AS bookings, CASE WHEN is_instant THEN 1 ELSE 0 END AS instant_bookings FROM demo.fct_bookings bookings_source_src_28000) SELECT CAST(SUM(instant_bookings) AS DOUBLE) / CAST(NULLIF(SUM(bookings), 0) AS DOUBLE) AS instant_share FROM sma_28009_cte;
-- q13
WITH cm_6_cte AS (SELECT DATE_TRUNC('month', ds) AS metric_time__month, SUM(booking_value) AS booking_value FROM demo.fct_bookings GROUP BY 1), cm_7_cte AS (SELECT DATE_TRUNC('month', ds) AS metric_time__month, COUNT(*) AS bookings FROM demo.fct_bookings GROUP BY 1) SELECT COALESCE(cm_6_cte.metric_time__month, cm_7_cte.metric_time__month) AS metric_time__month, MAX(cm_6_cte.booking_value) / NULLIF(MAX(cm_7_cte.bookings), 0) AS v FROM cm_6_cte FULL OUTER JOIN cm_7_cte ON cm_6_cte.metric_time__month = cm_7_cte.metric_time__month GROUP BY 1;
-- q14
SELECT metric_time__extract_year, SUM(x) FROM (SELECT EXTRACT(year FROM ds) AS metric_time__extract_year, EXTRACT(isodow FROM ds) AS d, 1 AS x FROM demo.fct_bookings) s GROUP BY metric_time__extract_year;
-- q15
SELECT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY (bv)) AS median_booking_value FROM (SELECT booking_value AS bv FROM demo.fct_bookings) s;
-- q16
SELECT guest__visits_bucket, SUM(n) FROM (SELECT CASE WHEN v.views > 10 THEN 'hi' ELSE 'lo' END AS guest__visits_bucket, 1 AS n FROM demo.fct_bookings b LEFT JOIN (SELECT user_id AS guest, COUNT(*) AS views FROM demo.fct_views GROUP BY user_id) v ON b.guest_id = v.guest) q GROUP BY 1;
-- q17
SELECT COUNT(*) FROM demo.fct_views v INNER JOIN demo.fct_bookings b ON v.user_id = b.guest_id AND v.listing_id = b.listing_id AND b.ds >= v.ds AND b.ds < v.ds + INTERVAL 7 day;
-- q18
SELECT COUNT(DISTINCT CASE WHEN b.guest_id IS NOT NULL THEN v.user_id END) * 1.0 / COUNT(DISTINCT v.user_id) FROM demo.fct_views v LEFT JOIN demo.fct_bookings b ON v.user_id = b.guest_id AND v.listing_id = b.listing_id;
