"""Asks the questions of `hpc init`, then writes a validated description and, if necessary, a new project.

Cloud-specific code is in `hpc_components/<cloud>/first_cluster` (see `FirstCluster`).
"""

WORKLOADS = {
    "mpi": "tightly coupled jobs over a fast fabric",
    "throughput": "many independent jobs, on spot machines",
    "gpu": "training on GPUs",
    "teaching": "a class: login nodes, small machines, short jobs",
}
