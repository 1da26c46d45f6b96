"""S3 data buckets: general purpose buckets with lifecycle rules, and fast buckets in the nodes' zone (S3 Express One
Zone).
"""
