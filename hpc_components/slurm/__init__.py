"""From a cluster's description to Slurm's configuration: plain text in, plain text out, for Slurm 22.05 to 25.11."""

from hpc_components.slurm.files import slurm_files

__all__ = ["slurm_files"]
