"""Two plans of a stack compared: what changes, what it means for jobs, people and data, and what it costs."""
