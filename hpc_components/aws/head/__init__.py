"""The head node, which runs Slurm's controller."""
