-- A sum of rows that are replaced: twice the reach.
-- neighbours = "replace"
SELECT SUM(mark) AS marks FROM survey
