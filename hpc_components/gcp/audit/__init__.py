"""The audit trail: the log bucket to which nodes send it."""
