-- Deviations are roots of variances, of rows that are units.
SELECT STDDEV(mark) AS s, STDDEV_POP(mark) AS d FROM survey
