-- The least epsilon that keeps a count within ten.
-- accuracy = 10
SELECT COUNT(*) AS n FROM survey
