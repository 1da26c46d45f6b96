"""The stub that every node runs at first boot: a frame that is the same on all clouds, and the cloud's part in it."""

from hpc_components.boot.cloud_part import cloud_boot
from hpc_components.boot.packaged import packaged_text

__all__ = ["USER_DATA_LIMIT", "user_data"]

USER_DATA_LIMIT = 4096
"""Most bytes of the stub. Clouds take 16 KiB or more; what is small stays static, and leaves room for yours."""


def user_data(cloud: str) -> str:
    """The stub of `cloud` as plain text. UnknownCloudError if there is no such cloud.

    It is the same for all nodes, clusters and releases: two tags of the machine, `hpc:config` and `hpc:role`, tell it
    what to fetch.
    """
    frame = packaged_text("hpc_components.boot", "user_data.sh")
    settings, _, functions = cloud_boot(cloud).stub_part().partition("\n\n")
    return frame.replace("@CLOUD_SETTINGS@", settings).replace("@CLOUD_FUNCTIONS@", functions.rstrip("\n"))
