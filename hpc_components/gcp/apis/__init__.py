"""Google APIs that a cluster needs."""
