"""S3 data buckets: those with a lifecycle, and fast ones in the nodes' zone (S3 Express One Zone)."""
