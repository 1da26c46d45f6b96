"""The network of a cluster: subnets, security groups, outbound access, Bastion, private endpoints."""
