-- Conditions, with a negated pattern and a list.
SELECT COUNT(*) AS n FROM visits WHERE age BETWEEN 18 AND 64 AND reason NOT LIKE 'heart%' AND hospital IN (1, 2)
