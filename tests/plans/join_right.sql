-- The public rows that belong to none are left out; the private ones stay.
SELECT city, COUNT(*) AS n FROM hospitals h RIGHT JOIN survey s ON h.id = s.hospital GROUP BY city
