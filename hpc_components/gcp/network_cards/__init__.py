"""Additional network cards for RDMA and GPU-to-GPU traffic, and the networks that these cards need."""
