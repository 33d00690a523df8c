-- HAVING, ORDER BY and LIMIT work on the noisy answer: they move nothing.
SELECT region, COUNT(*) AS n FROM visits GROUP BY region HAVING COUNT(*) > 100 ORDER BY n DESC, AVG(age) LIMIT 1
OFFSET 1
