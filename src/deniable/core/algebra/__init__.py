"""What an engine is asked, as relational algebra: values of rows, rows, and the sums over them."""
