"""What `hpc preflight` asks AWS."""

from hpc_components.aws.preflight.part import PART

__all__ = ["PART"]
