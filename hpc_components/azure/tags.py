"""Azure tags. They are used as written, because rules check their names."""

from hpc_components.ports import Tags

__all__ = ["Tags"]
