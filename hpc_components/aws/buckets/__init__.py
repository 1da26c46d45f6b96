"""S3 data buckets: ones with a lifecycle, and fast ones in the nodes' zone (S3 Express One Zone)."""
