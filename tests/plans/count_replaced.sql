-- Replaced and not added, a unit moves a histogram twice, and a count of all rows once.
-- neighbours = "replace"
SELECT town, COUNT(*) AS n FROM survey GROUP BY town
