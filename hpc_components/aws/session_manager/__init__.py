"""Logging in with Session Manager: the session document, who may use it, and the limit of sessions per person."""
