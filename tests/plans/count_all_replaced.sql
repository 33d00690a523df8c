-- One count of all rows: whoever is replaced stays one row.
-- neighbours = "replace"
SELECT COUNT(*) AS n FROM survey
