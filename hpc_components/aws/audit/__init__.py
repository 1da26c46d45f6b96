"""The audit trail: the log group to which nodes send it."""
