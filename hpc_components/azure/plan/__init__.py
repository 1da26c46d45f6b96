"""What recorded resources of Azure mean; `reader` has the answers for a plan."""
