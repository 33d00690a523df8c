-- The row is the unit: nothing is weighed, and one unit moves the count by one.
SELECT COUNT(*) AS n FROM survey
