"""The log bucket for failed boots."""
