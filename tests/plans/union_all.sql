-- Tables of the same unit, stacked: contributions add up.
SELECT COUNT(*) AS n FROM (SELECT patient, age AS x FROM visits UNION ALL SELECT patient, nights FROM stays) AS t
