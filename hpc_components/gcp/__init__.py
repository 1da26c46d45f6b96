"""Google Cloud: machines and prices, to compare with."""
