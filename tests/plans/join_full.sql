-- Left with right, and right alone: a unit weighs pairs, or its rows in both, whichever is more.
SELECT COUNT(*) AS n FROM visits FULL JOIN stays USING (patient)
