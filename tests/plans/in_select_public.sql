-- Whether a value is in a public table.
SELECT COUNT(*) AS n FROM visits WHERE hospital NOT IN (SELECT id FROM hospitals WHERE city = 'Ulm')
