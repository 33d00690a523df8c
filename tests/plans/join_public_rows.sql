-- Rows that are units are numbered before they are joined, so that one that matches twice weighs as one.
SELECT city, COUNT(*) AS n FROM survey LEFT JOIN hospitals ON hospital = id GROUP BY city
