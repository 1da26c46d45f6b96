"""A replacement for Pulumi's engine that records what a program registers."""
