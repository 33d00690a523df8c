-- Whether a person is among others: a join on the unit.
SELECT COUNT(*) AS n FROM visits WHERE patient IN (SELECT patient FROM stays WHERE nights > 7)
