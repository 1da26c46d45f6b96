"""The rules on a cluster, one function each, grouped by what they look at."""
