"""Azure: machines and prices, to compare with."""
