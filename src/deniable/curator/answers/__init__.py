"""What an analyst gets: tables computed from noisy statistics, their error bars, and outer queries over them."""
