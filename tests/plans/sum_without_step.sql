-- A number without a declared step gets a grid that nobody notices.
SELECT SUM(weight) AS weights FROM survey
