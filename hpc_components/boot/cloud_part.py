"""What first boot asks of a cloud's package: its module `boot`. docs/boot.md tells how to write one."""

from collections.abc import Mapping
from typing import Protocol, cast

from hpc_components.cloud import cloud_named
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.queues import Queue

__all__ = ["CloudBoot", "cloud_boot"]


class CloudBoot(Protocol):
    """The functions of that module."""

    def stub_part(self) -> str:
        """The cloud's part of `user_data.sh`.

        Assignments of variables that tests may set beforehand, a blank line, and the functions `who_am_i` and `get`.
        """
        ...

    def node_files(self, cluster: ClusterSpec) -> Mapping[str, str]:
        """Path in the config bucket -> text: `common/cloud.sh`, which has the cloud's verbs, and what they use."""
        ...

    def made_lustre(self, cluster: ClusterSpec) -> tuple[str, ...]:
        """Mount directories of the Lustre file systems that the cluster makes; those that were there are left out."""
        ...

    def jobs_have_node_identity(self, queue: Queue) -> bool:
        """Whether jobs of a queue may ask the metadata service, because its nodes have an identity of the user's."""
        ...


def cloud_boot(cloud: str) -> CloudBoot:
    """The part of the cloud called `cloud`. UnknownCloudError if there is none."""
    return cast(CloudBoot, cloud_named(cloud).part("boot"))
