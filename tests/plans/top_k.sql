-- The most common values, a choice for each place.
SELECT APPROX_TOP_K(hospital, 2) AS top FROM survey
