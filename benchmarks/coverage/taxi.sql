-- q1
SELECT count(*) FROM trips;
-- q2
SELECT passenger_count, avg(total_amount) FROM trips GROUP BY passenger_count;
-- q3
SELECT passenger_count, extract(year from pickup_datetime) AS pickup_year, count(*) FROM trips GROUP BY passenger_count, pickup_year;
-- q4
SELECT passenger_count, extract(year from pickup_datetime) AS pickup_year, round(trip_distance) AS distance, count(*) AS the_count FROM trips GROUP BY passenger_count, pickup_year, distance ORDER BY pickup_year, the_count desc;
-- q5
SELECT vendor_id, sum(1) FROM trips GROUP BY 1;
-- q6
SELECT date_trunc('day', pickup_datetime) AS day, count(1) AS trips, sum(fare_amount) AS fares FROM trips GROUP BY day ORDER BY day;
-- q7
SELECT hour(pickup_datetime) AS h, avg(tip_amount / fare_amount) AS tip_rate FROM trips WHERE fare_amount > 0 GROUP BY h ORDER BY h;
-- q8
SELECT z.borough, COUNT(*) AS n FROM trips t JOIN zones z ON t.pickup_zone = z.zone_id GROUP BY z.borough ORDER BY n DESC;
-- q9
SELECT pz.borough AS origin, dz.borough AS destination, AVG(trip_distance) FROM trips JOIN zones pz ON pickup_zone = pz.zone_id JOIN zones dz ON dropoff_zone = dz.zone_id GROUP BY 1, 2;
-- q10
SELECT avg(date_diff('minute', pickup_datetime, dropoff_datetime)) FROM trips;
-- q11
SELECT avg(epoch(dropoff_datetime - pickup_datetime)) / 60 AS minutes FROM trips;
-- q12
SELECT payment_type, COUNT(*) AS c, 100.0 * COUNT(*) / SUM(COUNT(*)) OVER () AS share FROM trips GROUP BY payment_type;
-- q13
SELECT dayname(pickup_datetime) AS d, count(*) FROM trips GROUP BY d;
-- q14
SELECT CASE WHEN trip_distance < 1 THEN '0-1' WHEN trip_distance < 3 THEN '1-3' ELSE '3+' END AS bucket, COUNT(*), AVG(fare_amount) FROM trips GROUP BY 1;
-- q15
SELECT floor(fare_amount / 5) * 5 AS fare_bin, count(*) FROM trips GROUP BY fare_bin ORDER BY fare_bin;
-- q16
SELECT count(*) FROM trips WHERE pickup_datetime >= '2019-01-15' AND pickup_datetime < '2019-01-16' AND payment_type = 'Credit';
-- q17
SELECT count(*) FROM trips WHERE store_and_fwd;
-- q18
SELECT store_and_fwd, count(*) FROM trips WHERE store_and_fwd IS NOT TRUE GROUP BY store_and_fwd;
-- q19
SELECT corr(trip_distance, fare_amount) FROM trips;
-- q20
SELECT quantile_cont(fare_amount, 0.5), quantile_cont(fare_amount, 0.95) FROM trips;
-- q21
SELECT pickup_zone, COUNT(*) c FROM trips GROUP BY pickup_zone HAVING COUNT(*) > 600 ORDER BY c DESC LIMIT 10 OFFSET 2;
-- q22
SELECT z.zone, AVG(tip_amount) FROM trips t LEFT JOIN zones z ON t.dropoff_zone = z.zone_id WHERE z.borough = 'Queens' GROUP BY z.zone;
-- q23
SELECT to_char(pickup_datetime, 'YYYY-MM-DD') AS d, COUNT(*) FROM trips GROUP BY 1;
-- q24
SELECT (pickup_datetime)::date AS d, max(passenger_count) FROM trips GROUP BY (pickup_datetime)::date;
-- q25
SELECT extract(dow from pickup_datetime) AS dow, extract(hour from pickup_datetime) AS hr, COUNT(*) FROM trips GROUP BY 1, 2;
-- q26
SELECT COUNT(*) FROM trips WHERE trip_distance > 10 AND NOT (payment_type = 'Cash' OR passenger_count <= 1);
-- q27
SELECT AVG(total_amount) FROM trips WHERE passenger_count IN (1, 2) AND vendor_id != 2;
-- q28
SELECT week(pickup_datetime) AS w, SUM(total_amount) AS s FROM trips GROUP BY w ORDER BY s DESC;
-- q29
SELECT vendor_id, AVG(fare_amount) AS fare, STDDEV(fare_amount) AS sd, VARIANCE(tip_amount) AS v FROM trips GROUP BY vendor_id;
-- q30
SELECT date_trunc('hour', pickup_datetime) AS h, COUNT(*) AS n FROM trips WHERE pickup_datetime BETWEEN '2019-02-01' AND '2019-02-02' GROUP BY 1 ORDER BY n DESC LIMIT 3;
-- q31
SELECT SUM(total_amount) / SUM(trip_distance) AS per_mile FROM trips;
-- q32
SELECT AVG(trip_distance / (epoch(dropoff_datetime - pickup_datetime) / 3600)) AS mph FROM trips;
-- q33
SELECT COUNT(*) FROM trips WHERE pickup_zone = dropoff_zone;
-- q34
SELECT b, SUM(n) OVER (ORDER BY b) AS running FROM (SELECT borough AS b, COUNT(*) AS n FROM trips JOIN zones ON zone_id = pickup_zone GROUP BY borough) x;
-- q35
SELECT COUNT(*) FROM trips WHERE pickup_datetime > now() - interval '30 days';
-- q36
SELECT borough, COUNT(*) FROM zones GROUP BY borough;
-- q37
SELECT year(pickup_datetime) * 100 + month(pickup_datetime) AS ym, COUNT(*) FROM trips GROUP BY ym;
-- q38
SELECT avg(case when tip_amount > 0 then 1.0 else 0.0 end) AS tipped FROM trips WHERE payment_type ilike 'credit';
-- q39
SELECT COUNT(*) AS "Number of trips", AVG("fare_amount") AS "Average fare" FROM "trips" WHERE ("pickup_datetime" >= TIMESTAMP '2019-01-01 00:00:00' AND "pickup_datetime" < TIMESTAMP '2019-02-01 00:00:00');
-- q40
SELECT mode(payment_type), approx_count_distinct(pickup_zone), count(distinct dropoff_zone) FROM trips;
