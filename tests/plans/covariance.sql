-- Both covariances share a count, two sums and the sum of products.
SELECT COVAR_POP(cost, age) AS c, COVAR_SAMP(cost, age) AS d FROM visits
