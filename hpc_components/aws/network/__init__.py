"""A cluster's network: VPC, subnets, routes, endpoints and flow logs."""
