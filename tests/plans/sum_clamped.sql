-- Bounds that the question writes itself.
SELECT SUM(LEAST(GREATEST(score * 100, 0), 20)) AS points FROM visits
