"""The node reaper's code for AWS Lambda: a single file that imports nothing else from this package."""
