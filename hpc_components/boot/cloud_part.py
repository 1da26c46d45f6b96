"""What first boot asks of a cloud: its part `boot`, usually a module. docs/boot.md tells how to write one."""

from collections.abc import Mapping
from typing import Any, Protocol

from hpc_components.cloud import cloud_named

__all__ = ["CloudBoot", "cloud_boot"]


class CloudBoot(Protocol):
    """The functions of that part. `cluster` and `queue` are of the cloud's own models."""

    def stub_part(self) -> str:
        """The cloud's part of `user_data.sh`.

        Assignments of variables that tests may set beforehand, a blank line, and the functions `who_am_i` and `get`.
        """
        ...

    def node_files(self, cluster: Any) -> Mapping[str, str]:
        """Path in the config bucket -> text: `common/cloud.sh`, which has the cloud's verbs, and what they use."""
        ...

    def made_lustre(self, cluster: Any) -> tuple[str, ...]:
        """Mount directories of the Lustre file systems that the cluster makes; those that were there are left out."""
        ...

    def jobs_have_node_identity(self, queue: Any) -> bool:
        """Whether jobs of a queue may ask the metadata service, because its nodes have an identity of the user's."""
        ...


def cloud_boot(cloud: str) -> CloudBoot:
    """Return the part `boot` of a cloud. UnknownCloudError if no cloud has this name."""
    return cloud_named(cloud).parts.boot
