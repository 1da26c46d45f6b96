"""How AWS writes the tags of a cluster: with capital letters and colons, as they are."""

from hpc_components.ports import Tags

__all__ = ["Tags"]
