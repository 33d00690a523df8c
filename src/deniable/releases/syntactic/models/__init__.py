"""What every class of a published table has to be: k, l and t, and an independent check of them."""
