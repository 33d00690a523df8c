-- How many rows, of people who weigh at most ten each.
SELECT COUNT(*) AS n FROM visits
