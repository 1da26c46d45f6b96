"""The stub that every node runs at first boot."""

from importlib.resources import files

__all__ = ["USER_DATA_LIMIT", "user_data"]

USER_DATA_LIMIT = 4096
"""Most bytes of the stub. EC2 takes 16 KiB; what is small stays static, and leaves room for a user's own part."""


def user_data() -> str:
    """The stub as plain text.

    It is the same for all nodes, clusters and releases: the instance tags `hpc:config` and `hpc:role` tell it
    what to fetch. Launch templates take it base64-encoded.
    """
    return files("hpc_components.boot").joinpath("user_data.sh").read_text(encoding="utf-8")
