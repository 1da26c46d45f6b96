"""The interface of a cloud's part `boot`, which is usually a module. docs/boot.md describes how to write a part."""

from collections.abc import Mapping
from typing import Any, Protocol

from hpc_components.cloud import cloud_named


class CloudBoot(Protocol):
    """The functions of the part. `cluster` and `queue` are instances of the cloud's own models."""

    def stub_part(self) -> str:
        """Return the cloud's part of `user_data.sh`.

        It must consist of assignments of variables that tests may preset, a blank line, and the functions `who_am_i`
        and `get`.
        """
        ...

    def node_files(self, cluster: Any) -> Mapping[str, str]:
        """Map paths in the config bucket to texts.

        The files include `common/cloud.sh`, which defines the cloud's verbs, and any files that it uses.
        """
        ...

    def created_lustre_mounts(self, cluster: Any) -> tuple[str, ...]:
        """Return the mount directories of Lustre file systems that the cluster creates, leaving out existing ones."""
        ...

    def jobs_may_use_node_identity(self, queue: Any) -> bool:
        """Return whether jobs of a queue may use the metadata service because the user has set an identity for its
        nodes."""
        ...


def cloud_boot(cloud: str) -> CloudBoot:
    """Return the part `boot` of a cloud. Raise UnknownCloudError if no cloud has this name."""
    return cloud_named(cloud).parts.boot
