"""What the node reaper runs in AWS Lambda: one file, without anything else of this package."""
