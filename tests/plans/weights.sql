-- Columns can be weighed against each other: the median gets three parts of four.
-- weights = { n = 1, age = 3 }
SELECT COUNT(*) AS n, MEDIAN(age) AS age FROM visits
