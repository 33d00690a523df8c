-- A mean rests on a count and on the sum of distances from the middle of the bounds.
SELECT AVG(cost) AS cost FROM visits
