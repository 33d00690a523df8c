-- q1
SELECT count(*) FROM student AS T1 JOIN has_pet AS T2 ON T1.stuid = T2.stuid WHERE T1.age > 20;
-- q2
SELECT count(*) FROM pets WHERE weight > 10;
-- q3
SELECT count(*) FROM student AS T1 JOIN has_pet AS T2 ON T1.stuid = T2.stuid JOIN pets AS T3 ON T2.petid = T3.petid WHERE T1.sex = 'F' AND T3.pettype = 'dog';
-- q4
SELECT count(DISTINCT pettype) FROM pets;
-- q5
SELECT avg(age) FROM student WHERE stuid NOT IN (SELECT stuid FROM has_pet);
-- q6
SELECT avg(age), max(age), min(age) FROM student WHERE sex = 'F';
-- q7
SELECT pettype, avg(pet_age), max(pet_age) FROM pets GROUP BY pettype;
-- q8
SELECT T3.pettype, count(*) FROM student T1 JOIN has_pet T2 ON T1.stuid = T2.stuid JOIN pets T3 ON T3.petid = T2.petid GROUP BY T3.pettype HAVING count(*) > 2;
-- q9
SELECT avg(age) FROM student WHERE stuid IN (SELECT T1.stuid FROM student AS T1 JOIN has_pet AS T2 ON T1.stuid = T2.stuid);
-- q10
SELECT count(*) FROM student WHERE stuid IN (SELECT T2.stuid FROM has_pet T2 JOIN pets T3 ON T2.petid = T3.petid WHERE T3.pettype = 'cat') AND stuid NOT IN (SELECT T2.stuid FROM has_pet T2 JOIN pets T3 ON T2.petid = T3.petid WHERE T3.pettype = 'dog');
-- q11
SELECT major, count(*) FROM student GROUP BY major ORDER BY count(*) DESC LIMIT 1;
-- q12
SELECT major FROM student GROUP BY major ORDER BY count(*) DESC LIMIT 1;
-- q13
SELECT advisor, count(*) FROM student GROUP BY advisor HAVING count(*) >= 2;
-- q14
SELECT city_code, sex, avg(age) FROM student GROUP BY city_code, sex;
-- q15
SELECT count(*) FROM (SELECT stuid FROM has_pet GROUP BY stuid HAVING count(*) >= 2);
-- q16
SELECT department_id, AVG(salary), COUNT(commission_pct) FROM employee GROUP BY department_id;
-- q17
SELECT job_id, SUM(salary) FROM employee GROUP BY job_id HAVING AVG(salary) > 8000;
-- q18
SELECT COUNT(*) FROM employee WHERE hire_date BETWEEN '1987-11-05' AND '1992-07-05' AND salary BETWEEN 8000 AND 12000 AND commission_pct IS NOT NULL;
-- q19
SELECT D.department_name, COUNT(*), AVG(E.salary) FROM employee E JOIN departments D ON E.department_id = D.department_id GROUP BY D.department_name;
-- q20
SELECT L.city, COUNT(*) FROM employee E INNER JOIN departments D USING (department_id) INNER JOIN locations L USING (location_id) GROUP BY L.city;
-- q21
SELECT department_id, COUNT(*) FROM employee WHERE department_id IN (SELECT department_id FROM departments WHERE location_id = 1000) GROUP BY department_id;
-- q22
SELECT COUNT(*) FROM employee WHERE salary > (SELECT AVG(salary) FROM employee);
-- q23
SELECT COUNT(*) FROM employee e WHERE e.salary > (SELECT AVG(salary) FROM employee WHERE department_id = e.department_id);
-- q24
SELECT COUNT(*) FROM employee WHERE first_name LIKE '%D%' OR first_name LIKE '%S%';
-- q25
SELECT MAX(salary) - MIN(salary) AS diff FROM employee;
-- q26
SELECT EXTRACT(YEAR FROM hire_date), COUNT(*) FROM employee GROUP BY EXTRACT(YEAR FROM hire_date);
-- q27
SELECT date_part('month', hire_date) AS m, COUNT(employee_id) FROM employee GROUP BY m ORDER BY m;
-- q28
SELECT LENGTH(first_name) AS len, COUNT(*) FROM employee GROUP BY LENGTH(first_name);
-- q29
SELECT manager_id, COUNT(*) FROM employee WHERE manager_id IS NOT NULL GROUP BY manager_id HAVING COUNT(*) >= 4;
-- q30
SELECT COUNT(*) FROM employee WHERE department_id IS NULL;
-- q31
SELECT CASE WHEN salary >= 15000 THEN 'high' WHEN salary >= 8000 THEN 'mid' ELSE 'low' END band, COUNT(*), ROUND(AVG(salary), 2) FROM employee GROUP BY 1;
-- q32
SELECT job_id, ROUND(AVG(salary)) FROM employee GROUP BY job_id ORDER BY AVG(salary) DESC;
-- q33
SELECT TOP 20 married, AVG(income) AS income FROM pums GROUP BY married;
-- q34
SELECT married, COUNT(*) AS n, SUM(income) AS total FROM pums WHERE age > 40 GROUP BY married ORDER BY n DESC;
-- q35
SELECT sex, educ, COUNT(*) AS count FROM pums GROUP BY sex, educ ORDER BY sex, educ;
-- q36
SELECT AVG(age) FROM pums GROUP BY sex;
-- q37
SELECT COUNT(DISTINCT pid) FROM pums WHERE income > 100000;
-- q38
SELECT SUM(CASE WHEN married THEN income ELSE 0 END) / COUNT(*) FROM pums;
-- q39
SELECT age // 10 AS decade, COUNT(*) FROM pums GROUP BY age // 10;
-- q40
SELECT COUNT(*) FROM (SELECT age, income FROM pums WHERE sex = 1) AS sub WHERE income > 50000;
-- q41
SELECT married AS m, sex, COUNT(*) AS n FROM (SELECT * FROM pums WHERE income >= 0) GROUP BY married, sex;
-- q42
SELECT region, SUM(income), SUM(income * income), COUNT(*) FROM pums GROUP BY region;
-- q43
SELECT region, COUNT(*) FROM pums GROUP BY region HAVING COUNT(*) > 100 AND AVG(age) > 20;
-- q44
SELECT AVG(LOG(income + 1)), AVG(SQRT(income)), AVG(EXP(educ / 16.0)) FROM pums;
-- q45
SELECT AVG(income) FILTER (WHERE sex = 1) - AVG(income) FILTER (WHERE sex = 0) AS gap FROM pums;
-- q46
SELECT city, COUNT(*) FROM customers c JOIN orders o ON c.customer_id = o.customer_id GROUP BY city;
-- q47
SELECT c.city, p.category, SUM(oi.quantity * oi.unit_price) AS revenue FROM customers c JOIN orders o ON o.customer_id = c.customer_id JOIN order_items oi ON oi.order_id = o.order_id JOIN products p ON p.product_id = oi.product_id WHERE o.status <> 'cancelled' GROUP BY c.city, p.category;
-- q48
SELECT p.product_name, SUM(oi.quantity) AS sold FROM order_items oi JOIN products p USING (product_id) GROUP BY p.product_name ORDER BY sold DESC LIMIT 5;
-- q49
SELECT AVG(items) FROM (SELECT order_id, SUM(quantity) AS items FROM order_items GROUP BY order_id) t;
-- q50
SELECT COUNT(*) FROM orders WHERE order_id IN (SELECT order_id FROM order_items WHERE product_id = 7);
-- q51
SELECT COUNT(*) FROM orders o WHERE EXISTS (SELECT 1 FROM order_items oi JOIN products p ON p.product_id = oi.product_id WHERE oi.order_id = o.order_id AND p.category = 'toys');
-- q52
SELECT status, COUNT(*), AVG(amount) FROM orders GROUP BY status UNION ALL SELECT 'all', COUNT(*), AVG(amount) FROM orders;
-- q53
SELECT date_trunc('month', order_date) AS m, SUM(amount) AS s, SUM(SUM(amount)) OVER (ORDER BY date_trunc('month', order_date)) AS running FROM orders GROUP BY 1 ORDER BY 1;
-- q54
SELECT COALESCE(segment, 'unknown') AS segment, COUNT(*) FROM customers GROUP BY COALESCE(segment, 'unknown');
-- q55
SELECT segment, COUNT(*) FROM customers GROUP BY ROLLUP(segment);
-- q56
SELECT c.city, AVG(t.total) FROM customers c JOIN (SELECT customer_id, SUM(amount) AS total FROM orders GROUP BY customer_id) t ON t.customer_id = c.customer_id GROUP BY c.city;
-- q57
SELECT COUNT(*) FROM customers c LEFT JOIN orders o ON o.customer_id = c.customer_id WHERE o.order_id IS NULL;
-- q58
SELECT COUNT(*) FROM customers WHERE customer_id NOT IN (SELECT customer_id FROM orders WHERE status = 'paid');
-- q59
SELECT c.city, COUNT(DISTINCT o.customer_id) * 100.0 / COUNT(DISTINCT c.customer_id) FROM customers c LEFT JOIN orders o USING (customer_id) GROUP BY c.city;
-- q60
SELECT order_count, COUNT(*) AS customers FROM (SELECT c.customer_id, COUNT(o.order_id) AS order_count FROM customers c LEFT JOIN orders o ON c.customer_id = o.customer_id GROUP BY c.customer_id) AS x GROUP BY order_count ORDER BY order_count;
-- q61
SELECT EXTRACT(YEAR FROM o.order_date) AS y, EXTRACT(QUARTER FROM o.order_date) AS q, COUNT(DISTINCT o.customer_id) FROM orders o GROUP BY 1, 2 ORDER BY 1, 2;
-- q62
SELECT COUNT(*) FROM orders o JOIN customers c ON o.customer_id = c.customer_id AND o.order_date <= c.signup_date + INTERVAL '30 days';
-- q63
SELECT AVG(o.order_date - c.signup_date) AS days FROM orders o JOIN customers c ON o.customer_id = c.customer_id;
-- q64
SELECT AVG(DATEDIFF('day', c.signup_date, o.order_date)) FROM orders o JOIN customers c USING (customer_id);
-- q65
WITH ranked AS (SELECT customer_id, amount, ROW_NUMBER() OVER (PARTITION BY customer_id ORDER BY order_date) AS rn FROM orders) SELECT AVG(amount) FROM ranked WHERE rn = 1;
-- q66
SELECT COUNT(*) FROM (SELECT customer_id, MAX(order_date) AS last FROM orders GROUP BY customer_id) t WHERE last < DATE '2022-06-01';
-- q67
SELECT diagnosis, COUNT(DISTINCT v.patient_id) AS patients FROM visits v GROUP BY diagnosis;
-- q68
SELECT gender, AVG(bmi) AS avg_bmi, STDDEV(bmi) FROM patients WHERE smoker GROUP BY gender;
-- q69
SELECT p.gender, v.diagnosis, SUM(v.cost) FROM patients p INNER JOIN visits v ON p.patient_id = v.patient_id WHERE v.visit_date >= '2023-06-01' GROUP BY p.gender, v.diagnosis;
-- q70
SELECT CASE WHEN age BETWEEN 0 AND 17 THEN '0-17' WHEN age BETWEEN 18 AND 64 THEN '18-64' ELSE '65+' END AS age_band, COUNT(*) FROM patients GROUP BY age_band ORDER BY age_band;
-- q71
SELECT FLOOR(age / 10) * 10 AS bucket, COUNT(*) FROM patients GROUP BY bucket ORDER BY bucket;
-- q72
SELECT COUNT(*) FROM patients WHERE zip_code = '94110' AND age BETWEEN 20 AND 40;
-- q73
SELECT zip_code, COUNT(*) FROM patients GROUP BY zip_code;
-- q74
SELECT COUNT(*), AVG(age), MEDIAN(age), MIN(age), MAX(age) FROM patients;
-- q75
SELECT smoker, COUNT(*) AS n, COUNT(*) * 1.0 / (SELECT COUNT(*) FROM patients) AS share FROM patients GROUP BY smoker;
-- q76
SELECT monthname(visit_date), COUNT(*) FROM visits GROUP BY monthname(visit_date);
-- q77
SELECT COUNT_IF(cost > 500) AS expensive, SUM(IF(diagnosis = 'flu', 1, 0)) AS flu FROM visits;
-- q78
SELECT COUNT(*) FROM patients WHERE IFNULL(smoker, FALSE);
-- q79
SELECT SUM(cost::INT), SUM(cost::NUMERIC(10,2)) FROM visits;
-- q80
SELECT DATE_TRUNC('WEEK', visit_date) AS w, COUNT(*) FROM visits GROUP BY ALL ORDER BY ALL;
-- q81
SELECT YEAR(visit_date), MONTH(visit_date), DAYOFWEEK(visit_date), COUNT(*) FROM visits GROUP BY 1, 2, 3;
-- q82
SELECT diagnosis, cost_band, COUNT(*) FROM (SELECT diagnosis, NTILE(4) OVER (ORDER BY cost) AS cost_band FROM visits) GROUP BY 1, 2;
-- q83
SELECT corr(age, bmi), covar_samp(age, bmi), regr_slope(bmi, age) FROM patients;
-- q84
SELECT COUNT(*) FROM patients p JOIN visits v ON p.patient_id = v.patient_id AND v.diagnosis = 'flu' AND v.cost > p.age * 10;
-- q85
SELECT patient_id, COUNT(*) FROM visits GROUP BY patient_id HAVING COUNT(*) > 5;
-- q86
SELECT COUNT(*) AS n FROM visits WHERE diagnosis IN ('flu', 'cold') AND EXTRACT(DOW FROM visit_date) NOT IN (0, 6);
-- q87
SELECT AVG(n) FROM (SELECT diagnosis, COUNT(*) AS n FROM visits GROUP BY diagnosis) t;
-- q88
SELECT diagnosis, n FROM (SELECT diagnosis, COUNT(*) AS n FROM visits GROUP BY diagnosis) t WHERE n = (SELECT MAX(n) FROM (SELECT diagnosis, COUNT(*) AS n FROM visits GROUP BY diagnosis) u);
-- q89
SELECT v1.diagnosis, v2.diagnosis, COUNT(*) FROM visits v1 JOIN visits v2 ON v1.patient_id = v2.patient_id AND v1.diagnosis < v2.diagnosis GROUP BY 1, 2;
-- q90
SELECT COUNT(*) FROM visits a JOIN visits b ON a.patient_id = b.patient_id WHERE a.visit_date < b.visit_date;
-- q91
SELECT (SELECT city FROM customers c WHERE c.customer_id = o.customer_id) AS city, COUNT(*) FROM orders o GROUP BY 1;
-- q92
SELECT AVG(amount) FROM orders o WHERE amount > (SELECT AVG(amount) FROM orders x WHERE x.customer_id = o.customer_id);
-- q93
SELECT AVG(amount) FROM orders o WHERE order_date = (SELECT MIN(order_date) FROM orders x WHERE x.customer_id = o.customer_id);
-- q94
SELECT category, COUNT(*) FROM order_items NATURAL JOIN products GROUP BY category;
-- q95
SELECT COUNT(*) FROM order_items oi, products p WHERE oi.product_id = p.product_id AND oi.unit_price > p.price * 1.1;
-- q96
SELECT sum(quantity * price) FROM order_items JOIN products USING (product_id);
-- q97
SELECT AVG(quantity * 1.0) AS q, 100 * SUM(CASE WHEN quantity > 2 THEN 1 ELSE 0 END)::float / COUNT(*) AS pct FROM order_items;
