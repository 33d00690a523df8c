"""What protocols have in common: any protocol, those for histograms (listed or unary reports), those for means."""
