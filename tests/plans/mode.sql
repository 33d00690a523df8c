-- The most common of the known values.
SELECT MODE(region) AS region FROM visits
