"""The tags of a cluster. AWS accepts capital letters and colons, so they need no translation."""

from hpc_components.ports import Tags

__all__ = ["Tags"]
