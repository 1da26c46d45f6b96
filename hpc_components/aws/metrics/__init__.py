"""The workspace of Amazon Managed Service for Prometheus, to which the head node sends metrics."""
