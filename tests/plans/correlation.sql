-- A correlation rests on six statistics, each within its own reach.
SELECT CORR(cost, age) AS r FROM visits
