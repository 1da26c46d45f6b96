"""Rules that check a cluster's description. Each rule is a function, and each module covers one topic."""
