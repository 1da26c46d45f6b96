"""Buckets for data in S3: with a lifecycle, or fast ones in the zone of the nodes (S3 Express One Zone)."""
