"""What recorded resources of Google Cloud mean; `reader` has the answers for a plan."""
