#!/bin/bash
#SBATCH --job-name=gpu-hello
#SBATCH --nodes=@NODES@
#SBATCH --ntasks-per-node=@TASKS@
#SBATCH --gres=gpu:@TASKS@
#SBATCH --partition=@QUEUE@
#SBATCH --output=@SHARED@/gpu-hello-%j.out

module load openmpi
srun python3 @SHARED@/hello_gpu.py
