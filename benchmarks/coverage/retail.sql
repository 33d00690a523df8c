-- q1
select d.d_year, i.i_brand, sum(ss_ext_sales_price) sum_agg from date_dim d, store_sales, item i where d.d_date_sk = store_sales.ss_sold_date_sk and store_sales.ss_item_sk = i.i_item_sk and i.i_manager_id = 1 and d.d_moy = 11 group by d.d_year, i.i_brand order by d.d_year, sum_agg desc, i.i_brand limit 100;
-- q2
select i_category, count(*) as n, avg(ss_quantity) agg1, avg(ss_sales_price) agg2, avg(ss_coupon_amt) agg3 from store_sales join item on ss_item_sk = i_item_sk group by i_category order by i_category;
-- q3
SELECT s_store_name, s_state, SUM(ss_net_profit) FROM store_sales, store WHERE ss_store_sk = s_store_sk GROUP BY s_store_name, s_state ORDER BY 1, 2;
-- q4
select s_store_name, sum(case when (d_day_name = 'Sunday') then ss_sales_price else null end) sun_sales, sum(case when (d_day_name = 'Monday') then ss_sales_price else null end) mon_sales, sum(case when (d_day_name = 'Friday') then ss_sales_price else null end) fri_sales from date_dim, store_sales, store where d_date_sk = ss_sold_date_sk and s_store_sk = ss_store_sk and d_year = 2000 group by s_store_name order by s_store_name;
-- q5
select count(*) from store_sales, store where ss_store_sk = s_store_sk and s_store_name like 'store%' and ss_quantity between 1 and 10;
-- q6
select case when count(*) > 100 then avg(ss_sales_price) else avg(ss_net_profit) end bucket1 from store_sales where ss_quantity between 1 and 20;
-- q7
select i_category, i_brand, sum(ss_ext_sales_price) as itemrevenue from store_sales inner join item on (ss_item_sk = i_item_sk) inner join date_dim on (ss_sold_date_sk = d_date_sk) where i_category in ('Sports', 'Books', 'Home') and d_date between cast('2000-02-22' as date) and (cast('2000-02-22' as date) + interval 30 day) group by i_category, i_brand having count(*) > 5;
-- q8
select count(distinct ss_customer_sk) from store_sales where ss_sold_date_sk in (select d_date_sk from date_dim where d_year = 2001 and d_moy = 5);
-- q9
select c_state, count(*) cnt from customer c where exists (select * from store_sales, date_dim where c.c_customer_sk = ss_customer_sk and ss_sold_date_sk = d_date_sk and d_year = 2000 and d_qoy < 4) group by c_state order by cnt desc;
-- q10
select c_state, count(*) from customer where c_customer_sk not in (select sr_customer_sk from store_returns) group by 1;
-- q11
select c.c_preferred_cust_flag as flag, sum(ss.ss_net_profit) / count(distinct ss.ss_customer_sk) as profit_per_customer from store_sales ss join customer c on ss.ss_customer_sk = c.c_customer_sk group by c.c_preferred_cust_flag;
-- q12
WITH totals AS (SELECT ss_customer_sk AS cust, SUM(ss_ext_sales_price) AS total FROM store_sales GROUP BY ss_customer_sk) SELECT COUNT(*) FROM totals WHERE total > 3000;
-- q13
select d_year, d_moy, count(*) as orders, sum(ss_quantity) as units from store_sales left join date_dim on ss_sold_date_sk = d_date_sk group by 1, 2 order by 1 desc, 2;
-- q14
select coalesce(s_state, 'none') as state, count(*) from store_sales left outer join store on ss_store_sk = s_store_sk group by coalesce(s_state, 'none');
-- q15
select avg(ss_sales_price * ss_quantity) as avg_amount, max(ss_quantity), min(ss_sales_price) from store_sales where ss_sales_price > 10.00;
-- q16
select i_category, sum(ss_ext_sales_price) * 100.0 / nullif(count(*), 0) as per_hundred from item, store_sales where i_item_sk = ss_item_sk and i_current_price > 20 group by i_category having sum(ss_ext_sales_price) > 1000 order by per_hundred desc limit 5;
-- q17
select (c_birth_year / 10)::int * 10 as decade, count(*) from customer group by 1 order by 1;
-- q18
select c_state, c_preferred_cust_flag, count(*) from customer where c_birth_year is not null and c_birth_year between 1950 and 1980 group by c_state, c_preferred_cust_flag;
-- q19
select d.d_date, sum(s.ss_ext_sales_price) as revenue from store_sales s join date_dim d on s.ss_sold_date_sk = d.d_date_sk where d.d_date >= '2000-03-01' and d.d_date < '2000-04-01' group by d.d_date order by d.d_date;
-- q20
select date_trunc('month', d_date) as month, count(distinct ss_customer_sk) as customers from store_sales join date_dim on ss_sold_date_sk = d_date_sk group by 1 order by 1;
-- q21
select s.s_store_name, r.n from store s join (select ss_store_sk, count(*) n from store_sales group by ss_store_sk) r on r.ss_store_sk = s.s_store_sk;
-- q22
select * from (select i_category as cat, sum(ss_net_profit) as profit from store_sales, item where ss_item_sk = i_item_sk group by i_category) t where profit > 0 order by profit desc;
-- q23
select i_category, sum(ss_ext_sales_price) as rev, rank() over (order by sum(ss_ext_sales_price) desc) as rk from store_sales, item where ss_item_sk = i_item_sk group by i_category;
-- q24
select count(*) as returned from store_returns r, item i where r.sr_item_sk = i.i_item_sk and i.i_category = 'Books';
-- q25
select avg(n) from (select ss_customer_sk, count(*) as n from store_sales group by ss_customer_sk) t;
-- q26
select i_brand, sum(sr_return_amt) from store_returns inner join item on sr_item_sk = i_item_sk where i_category <> 'Music' group by i_brand order by 2 desc limit 10;
-- q27
select sum(ss_sales_price) filter (where ss_store_sk is null) as online, sum(ss_sales_price) filter (where ss_store_sk is not null) as offline from store_sales;
-- q28
select ss_store_sk, count(*) from store_sales where ss_item_sk in (select i_item_sk from item where i_current_price > (select avg(i_current_price) from item)) group by ss_store_sk;
-- q29
SELECT COUNT(*) FROM (SELECT DISTINCT ss_customer_sk FROM store_sales WHERE ss_quantity > 15) AS big_buyers;
-- q30
select d_day_name, round(avg(ss_ext_sales_price), 2) from store_sales join date_dim on d_date_sk = ss_sold_date_sk where d_year = 2001 group by d_day_name;
-- q31
with sales_2000 as (select * from store_sales join date_dim on ss_sold_date_sk = d_date_sk where d_year = 2000), books as (select i_item_sk from item where i_category = 'Books') select count(*), sum(ss_net_profit) from sales_2000 where ss_item_sk in (select i_item_sk from books);
-- q32
select c_state, sum(ss_ext_sales_price) as revenue, sum(sum(ss_ext_sales_price)) over () as total from store_sales join customer on ss_customer_sk = c_customer_sk group by c_state;
-- q33
select s_state, grouping(s_state), count(*) from store_sales join store on ss_store_sk = s_store_sk group by rollup(s_state);
-- q34
select i_category from store_sales join item on ss_item_sk = i_item_sk group by i_category;
-- q35
select top 5 i_brand, count(*) as n from store_sales join item on ss_item_sk = i_item_sk group by i_brand order by n desc;
-- q36
select count(*) from customer where c_customer_sk in (select ss_customer_sk from store_sales intersect select sr_customer_sk from store_returns);
-- q37
select 'total' as label, count(*) as n from store_sales union all select 'returns', count(*) from store_returns;
-- q38
select d_year, sum(ss_net_profit) as profit, lag(sum(ss_net_profit)) over (order by d_year) as before from store_sales join date_dim on ss_sold_date_sk = d_date_sk group by d_year;
-- q39
select stddev_samp(ss_quantity) / avg(ss_quantity) as cov from store_sales where ss_store_sk = 3;
-- q40
select median(ss_sales_price), percentile_cont(0.9) within group (order by ss_quantity) from store_sales;
