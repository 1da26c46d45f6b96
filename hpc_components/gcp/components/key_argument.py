from pulumi import Input

from hpc_components.gcp.catalog.resource_ids import wrong_id


def check_key(path: str, key: Input[str] | None, region: str) -> None:
    """Raise ValueError if `key` is a string but not a valid key id in `region`. `path` is used in the error
    message.
    """
    if isinstance(key, str) and (wrong := wrong_id("kms_key", key, region)):
        raise ValueError(f"{path}: {wrong[0]}; {wrong[1]}")
