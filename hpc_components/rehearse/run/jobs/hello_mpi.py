"""Says hello from each rank of an MPI job."""

from mpi4py import MPI

world = MPI.COMM_WORLD
print(f"Hello from rank {world.Get_rank()} of {world.Get_size()} on host {MPI.Get_processor_name()}", flush=True)
