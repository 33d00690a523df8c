-- A set of units and keys, of which each combination is there once.
SELECT COUNT(*) AS n FROM orders o WHERE NOT EXISTS (SELECT * FROM lines WHERE number = o.number AND price > 10)
