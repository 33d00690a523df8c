-- Replaced, a unit moves ranks on both sides.
-- neighbours = "replace"
SELECT town, MEDIAN(mark) AS mark FROM survey GROUP BY town
