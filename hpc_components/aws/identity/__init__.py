"""IAM roles of nodes, of users and of jobs, and the keys that they may use."""
