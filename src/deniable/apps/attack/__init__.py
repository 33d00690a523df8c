"""`deniable attack`: attacks on made-up people, on files, and on a curator; and a tour of all of them."""
