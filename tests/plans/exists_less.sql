-- One comparison besides the unit's equality: the least of each person's own rows decides.
SELECT COUNT(*) AS n FROM visits v WHERE EXISTS (SELECT 1 FROM stays s WHERE s.patient = v.patient AND s.nights < v.age)
