"""What recorded resources of AWS mean; `reader` has the answers for a plan."""
