"""Tags of a cluster on Azure, which are written unchanged. Rules check their names."""

from hpc_components.ports import Tags

__all__ = ["Tags"]
