"""Tags of a cluster on Azure. They are written unchanged, because rules check their names."""

from hpc_components.ports import Tags

__all__ = ["Tags"]
