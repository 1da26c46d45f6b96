"""The questions of `hpc init`, and the files it writes: a validated description, and the project around it.

What depends on the cloud is in `hpc_components/<cloud>/first_cluster`, see `FirstCluster`.
"""

WORKLOADS = {
    "mpi": "tightly coupled jobs over a fast fabric",
    "throughput": "many independent jobs, on spot machines",
    "gpu": "training on GPUs",
    "teaching": "a class: login nodes, small machines, short jobs",
}
"""Purposes of a first cluster, with their descriptions."""
