SELECT COUNT(*) AS n, SUM(urgent) AS urgent
FROM visits WHERE regexp_matches(reason, '^[a-z]+') AND LPAD(reason, 4, '0') <> '0000' AND age = '8' AND cost > 0.06 + 0.01
