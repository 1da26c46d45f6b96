"""Builds the files that a node runs at first boot and whenever its configuration changes."""

from hpc_components.boot.stub import USER_DATA_LIMIT, user_data

__all__ = ["USER_DATA_LIMIT", "user_data"]
