"""Interprets the Azure resources recorded in a plan; `reader` combines all modules."""
