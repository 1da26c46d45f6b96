"""A cluster's network: subnets, security groups, outbound access, Bastion and private endpoints."""
