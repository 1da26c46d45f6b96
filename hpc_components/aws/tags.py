"""A cluster's tags. AWS accepts capital letters and colons, so keys and values need no translation."""

from hpc_components.ports import Tags

__all__ = ["Tags"]
