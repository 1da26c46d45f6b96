"""IAM roles of nodes, users and jobs, and the keys that they may use."""
