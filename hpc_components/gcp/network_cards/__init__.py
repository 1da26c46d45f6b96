"""Additional network cards of machines for RDMA and between GPUs, and their networks."""
