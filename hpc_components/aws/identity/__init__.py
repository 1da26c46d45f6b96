"""IAM roles for nodes, users and jobs, and the encryption keys that the roles may use."""
