"""Login nodes behind a load balancer."""
