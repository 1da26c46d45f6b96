"""Says hello from each rank of an MPI job and names the rank's GPU."""

import os

from mpi4py import MPI

world = MPI.COMM_WORLD
gpus = os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",")
local = int(os.environ["SLURM_LOCALID"])
gpu = gpus[local] if local < len(gpus) and gpus[local] else "none"
print(
    f"Hello from rank {world.Get_rank()} of {world.Get_size()} on host {MPI.Get_processor_name()}, GPU {gpu}",
    flush=True,
)
