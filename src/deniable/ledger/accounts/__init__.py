"""Which accounts there are, on what data, and where one goes on."""
