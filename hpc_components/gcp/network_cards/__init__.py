"""Machines' additional network cards, for RDMA and between GPUs, and the networks of these cards."""
