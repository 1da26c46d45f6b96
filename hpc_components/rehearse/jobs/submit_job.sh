#!/bin/bash
#SBATCH --job-name=mpi-hello
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=96
#SBATCH --cpus-per-task=1
#SBATCH --partition=compute-queue
#SBATCH --output=/fsx/mpi-hello-%j.out

module load openmpi
srun python3 /fsx/hello_mpi.py
