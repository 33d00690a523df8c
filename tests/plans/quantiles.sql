-- Several quantiles of the same values come from one set of noisy running counts.
SELECT QUANTILE_CONT(cost, [0.1, 0.25, 0.5, 0.75, 0.9]) AS cost FROM visits
