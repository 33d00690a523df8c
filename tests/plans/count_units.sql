-- People: in a group, one counts as one; in all groups together, as many times as it may weigh.
SELECT region, COUNT(DISTINCT patient) AS patients FROM visits GROUP BY region
