"""What a question costs: noise for each statistic, from the spend and public facts alone.

batch.price_all     several questions at once
price.price         one: noise by its share of the spend (noise), how far one unit reaches (distance), what will run
(queries), what is told beforehand (quote, cautions)
limits, effort      what is refused: by the policy's limits, and because its noise would take too long
"""
