-- A line through (age, cost): slope and intercept share five statistics.
SELECT REGR_SLOPE(cost, age) AS slope, REGR_INTERCEPT(cost, age) AS start FROM visits
