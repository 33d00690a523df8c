-- Conditions that exclude each other: one price for all of them, as for groups. A row has one number.
SELECT COUNT(*) FILTER (WHERE age < 18) AS children, SUM(CASE WHEN age BETWEEN 18 AND 64 THEN score ELSE 0 END) AS adults FROM visits
