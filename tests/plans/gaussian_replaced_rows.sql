-- Where rows are units, that square root is rounded up to two: sensitivities are whole.
-- neighbours = "replace"
-- rho = 0.1
SELECT town, COUNT(*) AS n FROM survey GROUP BY town
