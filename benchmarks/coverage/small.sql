-- q1
SELECT count(*) FROM singer;
-- q2
SELECT avg(age), min(age), max(age) FROM singer WHERE country = 'France';
-- q3
SELECT country, count(*) FROM singer GROUP BY country;
-- q4
SELECT DISTINCT country FROM singer WHERE age > 20;
-- q5
SELECT count(*) FROM singer WHERE is_male = 'T';
-- q6
SELECT T1.title, count(*) FROM course AS T1 JOIN takes AS T2 ON T1.course_id = T2.course_id GROUP BY T1.title;
-- q7
SELECT T3.dept, count(DISTINCT T1.stuid) FROM student AS T1 JOIN takes AS T2 ON T1.stuid = T2.stuid JOIN course AS T3 ON T2.course_id = T3.course_id GROUP BY T3.dept;
-- q8
SELECT major, count(*) FROM student GROUP BY major ORDER BY count(*) DESC LIMIT 1;
-- q9
SELECT major FROM student GROUP BY major ORDER BY count(*) DESC LIMIT 1;
-- q10
SELECT city_code, max(age) FROM student GROUP BY city_code;
-- q11
SELECT count(*) FROM student WHERE stuid NOT IN (SELECT stuid FROM takes WHERE grade = 'A');
-- q12
SELECT sex, avg(gpa) FROM student WHERE age BETWEEN 18 AND 22 GROUP BY sex;
-- q13
SELECT advisor, count(*) FROM student GROUP BY advisor HAVING count(*) >= 2;
-- q14
SELECT count(DISTINCT major) FROM student;
-- q15
SELECT D.dept_name, AVG(E.salary) FROM employee E JOIN department D ON E.dept_id = D.dept_id GROUP BY D.dept_name;
-- q16
SELECT dept_name FROM department WHERE budget > 1000000;
-- q17
SELECT d.dept_name, COUNT(e.emp_id) AS n FROM department d LEFT JOIN employee e ON d.dept_id = e.dept_id GROUP BY d.dept_name;
-- q18
SELECT AVG(salary) FROM employee WHERE dept_id IN (SELECT dept_id FROM department WHERE budget > 900000);
-- q19
SELECT EXTRACT(YEAR FROM hire_date) AS y, COUNT(*) FROM employee GROUP BY y ORDER BY y;
-- q20
SELECT COUNT(*) FROM employee WHERE manager_id IS NULL;
-- q21
SELECT "order", COUNT(*) FROM employee GROUP BY "order";
-- q22
SELECT COUNT(*) FROM employee WHERE salary > 1.5 * (SELECT AVG(salary) FROM employee);
-- q23
SELECT origin, destination, COUNT(*) AS n FROM flight GROUP BY origin, destination ORDER BY n DESC;
-- q24
SELECT count(*) FROM flight WHERE origin = 'Chicago' AND destination <> 'LA';
-- q25
SELECT destination, sum(price), avg(distance) FROM flight GROUP BY destination;
-- q26
SELECT origin FROM flight GROUP BY origin HAVING avg(price) > 300;
-- q27
SELECT sum(distance) FROM flight WHERE price < 100 OR price > 800;
-- q28
SELECT count(*) FROM student WHERE fname LIKE 'name 1%';
-- q29
SELECT grade, count(*) FROM takes WHERE course_id IN (SELECT course_id FROM course WHERE credits > 2) GROUP BY grade;
-- q30
SELECT avg(credits) FROM takes JOIN course USING (course_id);
-- q31
SELECT sum(c.credits) FROM takes t INNER JOIN course c ON t.course_id = c.course_id WHERE t.grade IN ('A', 'B');
-- q32
SELECT count(*) FROM student s WHERE (SELECT count(*) FROM takes t WHERE t.stuid = s.stuid) > 5;
-- q33
SELECT count(*), major FROM student WHERE age < (SELECT avg(age) FROM student) GROUP BY major;
-- q34
SELECT country, avg(net_worth_millions) FROM singer WHERE age >= 20 AND age <= 60 GROUP BY country ORDER BY avg(net_worth_millions) DESC;
-- q35
SELECT count(*) FROM singer WHERE country != 'France';
-- q36
SELECT major, sex, count(*) FROM student GROUP BY major, sex;
-- q37
SELECT avg(T1.gpa) FROM student AS T1 JOIN takes AS T2 ON T1.stuid = T2.stuid JOIN course AS T3 ON T2.course_id = T3.course_id WHERE T3.title = 'course 3';
-- q38
SELECT title FROM course EXCEPT SELECT title FROM course WHERE credits = 1;
-- q39
SELECT major FROM student WHERE age > 20 INTERSECT SELECT major FROM student WHERE age < 19;
-- q40
SELECT count(*) FROM (SELECT stuid FROM takes GROUP BY stuid HAVING count(*) > 3);
-- q41
SELECT sex, major, AVG(age) age FROM student WHERE city_code = 'NYC' GROUP BY 1, 2 ORDER BY 3 DESC;
-- q42
SELECT ROUND(AVG(salary), 2) AS avg_salary, COUNT(*) n FROM employee WHERE hire_date >= '2015-01-01' AND hire_date <= '2018-12-31';
-- q43
SELECT max(salary) - min(salary) FROM employee;
-- q44
SELECT name, salary FROM employee ORDER BY salary DESC LIMIT 3;
-- q45
SELECT T2.dept_name, max(T1.salary) FROM employee T1 INNER JOIN department T2 ON T1.dept_id = T2.dept_id WHERE T2.budget >= 800000 GROUP BY T2.dept_id, T2.dept_name;
