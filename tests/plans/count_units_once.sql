-- All people: one moves the count by one.
SELECT COUNT(DISTINCT patient) AS patients FROM visits
