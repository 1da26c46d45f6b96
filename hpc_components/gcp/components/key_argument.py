"""Checks customer-managed keys that are passed to components as arguments."""

from pulumi import Input

from hpc_components.gcp.catalog.resource_ids import wrong_id


def check_key(path: str, key: Input[str] | None, region: str) -> None:
    """Raise ValueError, with `path` in its message, if `key` is plain text but not the id of a key in `region`."""
    if isinstance(key, str) and (wrong := wrong_id("kms_key", key, region)):
        raise ValueError(f"{path}: {wrong[0]}; {wrong[1]}")
