-- Values that the policy declares, listed for nothing: no query, no noise, no price.
SELECT DISTINCT region FROM visits ORDER BY region
