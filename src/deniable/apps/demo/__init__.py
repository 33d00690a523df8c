"""`deniable demo`: a tour, and the made-up clinic that it is about."""
