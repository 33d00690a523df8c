-- Values that only the data knows: selected, and nothing else is paid for.
-- delta = 1e-6
SELECT DISTINCT reason FROM visits
