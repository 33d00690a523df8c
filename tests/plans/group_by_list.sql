-- A list in the question makes keys known.
SELECT reason, COUNT(*) AS n FROM visits WHERE reason IN ('heart', 'injury') GROUP BY reason
