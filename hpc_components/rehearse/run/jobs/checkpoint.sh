#!/bin/bash
#SBATCH --job-name=checkpoint
#SBATCH --nodes=@NODES@
#SBATCH --ntasks-per-node=@TASKS@
#SBATCH --partition=@QUEUE@
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=@SHARED@/checkpoint-%j.out

# The file name contains the job id, which a requeued job keeps.
srun python3 @SHARED@/checkpoint.py "@SHARED@/checkpoint-$SLURM_JOB_ID.step" 16
