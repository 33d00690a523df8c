-- Whoever is replaced may go from one condition to another.
-- neighbours = "replace"
-- rho = 1
SELECT COUNT(*) FILTER (WHERE urgent) AS yes, COUNT(*) FILTER (WHERE NOT urgent) AS no FROM visits
