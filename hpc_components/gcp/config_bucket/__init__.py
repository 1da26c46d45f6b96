"""The bucket with a cluster's configuration."""
