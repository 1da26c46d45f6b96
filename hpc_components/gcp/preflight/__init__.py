"""What `hpc preflight` asks Google Cloud."""

from hpc_components.gcp.preflight.part import PART

__all__ = ["PART"]
