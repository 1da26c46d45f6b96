"""The network of a cluster: VPC, subnets, routes, endpoints and flow logs."""
