"""Rules of the plan for AWS."""
