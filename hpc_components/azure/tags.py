"""How Azure writes the tags of a cluster: as they are. Rules say what no tag's name may have."""

from hpc_components.ports import Tags

__all__ = ["Tags"]
