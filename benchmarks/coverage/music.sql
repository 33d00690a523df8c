-- q1
SELECT COUNT(*) FROM Customer WHERE Country = 'Brazil';
-- q2
SELECT BillingCountry, COUNT(*) AS invoices, SUM(Total) AS revenue FROM Invoice GROUP BY BillingCountry ORDER BY revenue DESC;
-- q3
SELECT COUNT(InvoiceId), SUM(Total) FROM Invoice WHERE InvoiceDate BETWEEN '2009-01-01' AND '2009-12-31';
-- q4
SELECT strftime(InvoiceDate, '%Y') AS year, ROUND(SUM(Total), 2) FROM Invoice GROUP BY year;
-- q5
SELECT g.Name, COUNT(il.InvoiceLineId) AS sold FROM InvoiceLine il JOIN Track t ON il.TrackId = t.TrackId JOIN Genre g ON t.GenreId = g.GenreId GROUP BY g.Name ORDER BY sold DESC;
-- q6
SELECT e.LastName, SUM(i.Total) AS sales FROM Employee e JOIN Customer c ON e.EmployeeId = c.SupportRepId JOIN Invoice i ON i.CustomerId = c.CustomerId GROUP BY e.LastName ORDER BY sales DESC;
-- q7
SELECT c.Country, AVG(i.Total) FROM Customer AS c INNER JOIN Invoice AS i ON c.CustomerId = i.CustomerId GROUP BY c.Country HAVING AVG(i.Total) > 5;
-- q8
SELECT COUNT(*) FROM InvoiceLine WHERE InvoiceId = 37;
-- q9
SELECT SUM(UnitPrice * Quantity) AS total FROM InvoiceLine;
-- q10
SELECT i.BillingCountry, SUM(l.UnitPrice * l.Quantity) FROM Invoice i, InvoiceLine l WHERE i.InvoiceId = l.InvoiceId GROUP BY i.BillingCountry;
-- q11
SELECT COUNT(*) FROM Customer WHERE Company IS NULL;
-- q12
SELECT COUNT(*) FROM Customer WHERE Email LIKE '%@gmail.com';
-- q13
SELECT Country, COUNT(CustomerId) FROM Customer GROUP BY Country ORDER BY COUNT(CustomerId) DESC LIMIT 1;
-- q14
SELECT COUNT(DISTINCT BillingCountry) FROM Invoice;
-- q15
SELECT MAX(Total), MIN(Total), AVG(Total) FROM Invoice;
-- q16
SELECT AVG(total_spent) FROM (SELECT CustomerId, SUM(Total) AS total_spent FROM Invoice GROUP BY CustomerId);
-- q17
SELECT COUNT(*) FROM Customer WHERE CustomerId NOT IN (SELECT CustomerId FROM Invoice);
-- q18
SELECT Country, COUNT(*) FROM Customer WHERE CustomerId IN (SELECT CustomerId FROM Invoice GROUP BY CustomerId HAVING SUM(Total) > 40) GROUP BY Country;
-- q19
SELECT DISTINCT BillingCountry FROM Invoice;
-- q20
SELECT t."Name", COUNT(*) AS "Purchases" FROM "InvoiceLine" AS l JOIN "Track" AS t ON t."TrackId" = l."TrackId" GROUP BY t."Name" ORDER BY "Purchases" DESC LIMIT 5;
-- q21
SELECT EXTRACT(YEAR FROM InvoiceDate) AS y, EXTRACT(MONTH FROM InvoiceDate) AS m, SUM(Total) FROM Invoice GROUP BY 1, 2 ORDER BY 1, 2;
-- q22
SELECT g.Name AS genre, 100.0 * COUNT(*) / SUM(COUNT(*)) OVER () AS pct FROM InvoiceLine il JOIN Track t USING (TrackId) JOIN Genre g USING (GenreId) GROUP BY g.Name;
-- q23
SELECT c.Country, COUNT(DISTINCT c.CustomerId) AS customers, COUNT(i.InvoiceId) AS invoices FROM Customer c LEFT JOIN Invoice i ON c.CustomerId = i.CustomerId GROUP BY c.Country;
-- q24
SELECT Title, COUNT(*) FROM Employee GROUP BY Title;
-- q25
SELECT InvoiceDate::date AS day, COUNT(*) FROM Invoice WHERE InvoiceDate >= '2010-01-01'::timestamp AND InvoiceDate < '2010-02-01' GROUP BY 1;
-- q26
WITH us AS (SELECT * FROM Invoice WHERE BillingCountry = 'USA') SELECT date_trunc('quarter', InvoiceDate) AS q, SUM(Total) FROM us GROUP BY q;
-- q27
SELECT CASE WHEN Total < 5 THEN 'small' WHEN Total < 10 THEN 'medium' ELSE 'large' END AS size, COUNT(*) FROM Invoice GROUP BY size;
-- q28
SELECT Country, COUNT(*) FILTER (WHERE Company IS NOT NULL) AS business, COUNT(*) FILTER (WHERE Company IS NULL) AS private FROM Customer GROUP BY Country;
-- q29
SELECT COUNT(*) FROM Customer c WHERE EXISTS (SELECT 1 FROM Invoice i JOIN InvoiceLine l ON i.InvoiceId = l.InvoiceId JOIN Track t ON l.TrackId = t.TrackId JOIN Genre g ON t.GenreId = g.GenreId WHERE i.CustomerId = c.CustomerId AND g.Name = 'Rock');
-- q30
SELECT COUNT(*) FROM Customer c1 JOIN Customer c2 ON c1.CustomerId = c2.CustomerId WHERE c1.Country = c2.Country;
-- q31
SELECT AVG(LENGTH(Email)) FROM Customer;
-- q32
SELECT UPPER(Country) AS country, COUNT(*) FROM Customer GROUP BY UPPER(Country);
-- q33
SELECT BillingCountry || '!' AS k, SUM(Total) FROM Invoice GROUP BY BillingCountry;
-- q34
SELECT COUNT(*) FROM InvoiceLine l JOIN Invoice i ON l.InvoiceId = i.InvoiceId JOIN Customer c ON i.CustomerId = c.CustomerId WHERE c.Country IN ('USA', 'Canada') AND l.UnitPrice > 1;
-- q35
SELECT SupportRepId, COUNT(*) AS n FROM Customer GROUP BY SupportRepId ORDER BY n DESC, SupportRepId ASC;
-- q36
SELECT Country, COUNT(*) * 1.0 / (SELECT COUNT(*) FROM Customer) AS share FROM Customer GROUP BY Country;
-- q37
SELECT AVG(lines) FROM (SELECT InvoiceId, COUNT(*) AS lines FROM InvoiceLine GROUP BY InvoiceId) x;
-- q38
SELECT COUNT(*) FROM Invoice WHERE Total > (SELECT AVG(Total) FROM Invoice);
-- q39
SELECT t.GenreId, g.Name, SUM(il.Quantity) FROM InvoiceLine il JOIN Track t ON t.TrackId = il.TrackId JOIN Genre g ON g.GenreId = t.GenreId GROUP BY t.GenreId, g.Name;
-- q40
SELECT COUNT(*) FROM Track WHERE Milliseconds > (SELECT AVG(Milliseconds) FROM Track);
