"""Creates the bucket that holds a cluster's configuration."""
