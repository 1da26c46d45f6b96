"""The interface of a cloud's part `boot`, usually a module. docs/boot.md describes how to write one."""

from collections.abc import Mapping
from typing import Any, Protocol

from hpc_components.cloud import cloud_named


class CloudBoot(Protocol):
    """The functions of the part. `cluster` and `queue` are instances of the cloud's own models."""

    def stub_part(self) -> str:
        """Return the cloud's part of `user_data.sh`.

        Assignments of variables that tests may preset, a blank line, and the functions `who_am_i` and `get`.
        """
        ...

    def node_files(self, cluster: Any) -> Mapping[str, str]:
        """Map paths in the config bucket to texts: `common/cloud.sh`, which defines the cloud's verbs, and what they
        use."""
        ...

    def created_lustre_mounts(self, cluster: Any) -> tuple[str, ...]:
        """Return mount directories of the Lustre file systems that the cluster creates, without pre-existing ones."""
        ...

    def jobs_may_use_node_identity(self, queue: Any) -> bool:
        """Return whether jobs of a queue may use the metadata service, because its nodes have an identity set by the
        user."""
        ...


def cloud_boot(cloud: str) -> CloudBoot:
    """Return the part `boot` of a cloud. Raise UnknownCloudError if no cloud has this name."""
    return cloud_named(cloud).parts.boot
