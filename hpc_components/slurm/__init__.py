"""Converts a cluster's description into configuration files for Slurm 22.05 to 25.11."""

from hpc_components.slurm.files import slurm_files
from hpc_components.slurm.releases import RELEASES

__all__ = ["RELEASES", "slurm_files"]
