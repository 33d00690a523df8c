-- Private tables join on the unit, which may then weigh 10 x 4 rows.
SELECT AVG(nights) AS nights FROM visits v JOIN stays s ON v.patient = s.patient AND v.age > 17
