-- Equalities in WHERE tie the tables, in whatever order they stand.
SELECT AVG(nights) AS nights FROM "public"."visits" v CROSS JOIN clinic.public.stays s
WHERE v.age > 17 AND v."patient" = s.patient
