-- Both variances share a count, a sum and a sum of squares.
SELECT VAR_SAMP(age) AS v, VAR_POP(age) AS p FROM visits
