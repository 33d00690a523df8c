-- Two questions for one charge; the one that is named twice is asked once.
SELECT (SELECT COUNT(*) FROM visits WHERE urgent) * 1.0 / (SELECT COUNT(*) FROM visits) AS share, (SELECT COUNT(*) FROM visits) AS n
