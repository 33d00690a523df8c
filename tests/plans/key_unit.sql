-- A line belongs to whoever has its order: looked up by the statement, once for each whom the key leads to.
SELECT SUM(price) AS price FROM lines
