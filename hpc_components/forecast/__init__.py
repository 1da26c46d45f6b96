"""Forecasts what a cluster would do with given jobs, and what that would cost."""
