"""IAM roles for nodes, users and jobs, and the keys that they may use."""
