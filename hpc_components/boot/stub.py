"""Builds the stub that every node runs at first boot: a common frame filled in with the cloud's part."""

from hpc_components.boot.cloud_part import cloud_boot
from hpc_components.boot.packaged import packaged_text

USER_DATA_LIMIT = 4096
"""Maximum size of the stub in bytes. Clouds allow 16 KiB or more, but a small stub leaves room for your own commands.
"""


def user_data(cloud: str) -> str:
    """Return the stub for `cloud` as plain text. Raise UnknownCloudError if the cloud is unknown.

    The stub is the same for all nodes, clusters and releases, because the machine's tags `hpc:config` and `hpc:role`
    determine what the stub fetches.
    """
    frame = packaged_text("hpc_components.boot", "user_data.sh")
    settings, _, functions = cloud_boot(cloud).stub_part().partition("\n\n")
    return frame.replace("@CLOUD_SETTINGS@", settings).replace("@CLOUD_FUNCTIONS@", functions.rstrip("\n"))
