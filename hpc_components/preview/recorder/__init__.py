"""Replaces Pulumi's engine in order to record what a program registers."""
