"""The clouds' public price lists, read over the network: for `hpc catalog refresh`, and for nothing else."""
