"""The toy cloud's driver."""
