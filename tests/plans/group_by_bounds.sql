-- Keys between declared bounds.
SELECT age, COUNT(*) AS n FROM visits WHERE age >= 18 AND age < 30 GROUP BY age
