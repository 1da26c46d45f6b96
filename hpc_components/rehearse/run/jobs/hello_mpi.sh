#!/bin/bash
#SBATCH --job-name=mpi-hello
#SBATCH --nodes=@NODES@
#SBATCH --ntasks-per-node=@TASKS@
#SBATCH --cpus-per-task=1
#SBATCH --partition=@QUEUE@
#SBATCH --output=@SHARED@/mpi-hello-%j.out

module load openmpi
srun python3 @SHARED@/hello_mpi.py
