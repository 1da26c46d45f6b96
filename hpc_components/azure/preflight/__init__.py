"""What `hpc preflight` asks Azure."""

from hpc_components.azure.preflight.part import PART

__all__ = ["PART"]
