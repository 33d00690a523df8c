-- An extreme is one choice; its other end is the public bound.
SELECT MIN(age) AS least, MAX(age) AS largest FROM visits
