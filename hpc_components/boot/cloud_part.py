"""Defines the interface of a cloud's `boot` part, which is usually a module. docs/boot.md describes how to write a
part.
"""

from collections.abc import Mapping
from typing import Any, Protocol

from hpc_components.cloud import cloud_named


class CloudBoot(Protocol):
    """Functions of the `boot` part. `cluster` and `queue` are instances of the cloud's own models."""

    def stub_part(self) -> str:
        """Return the cloud's part of `user_data.sh`.

        The part must consist of variable assignments (tests may preset the variables), a blank line, and the
        functions `who_am_i` and `get`.
        """
        ...

    def node_files(self, cluster: Any) -> Mapping[str, str]:
        """Return the cloud's files for the config bucket, as a mapping from path to text.

        The files include `common/cloud.sh`, which defines the cloud's verbs, and any files that `cloud.sh` uses.
        """
        ...

    def image_files(self, cluster: Any) -> tuple[str, ...]:
        """Return the paths of those node files that the verbs need where an image is made: `adapt_image`,
        `cloud_packages`, `in_bucket`, `fetch_folder`, `fetch_object`, `install_fabric` and `install_lustre_client`.

        `fetch_folder` and `fetch_object` are only called if `images_read_buckets` of the cluster is true.
        """
        ...

    def created_lustre_mounts(self, cluster: Any) -> tuple[str, ...]:
        """Return the mount directories of the Lustre file systems that the cluster creates."""
        ...

    def jobs_may_use_node_identity(self, queue: Any) -> bool:
        """Return whether a queue's jobs may use the metadata service. They may if the user has set an identity for
        the queue's nodes.
        """
        ...


def cloud_boot(cloud: str) -> CloudBoot:
    """Return a cloud's `boot` part. Raise UnknownCloudError if no cloud has this name."""
    return cloud_named(cloud).parts.boot
