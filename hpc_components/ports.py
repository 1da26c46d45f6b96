"""Small, immutable values that components of any cloud pass to one another. They are easy to build by hand."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Self

import pulumi
from pulumi import Input

from hpc_components.typed_args import checked_args

__all__ = ["FileSystemMount", "Tags"]


@dataclass(frozen=True, kw_only=True)
@checked_args
class FileSystemMount:
    """How nodes mount a file system. Its fstab entry is generated from these values."""

    name: str
    """Name of the file system in the description."""
    type: str
    """`lustre` or `nfs`."""
    mount: str
    """Mount point on the node."""
    server: Input[str]
    """Host name or address of the server."""
    export: Input[str]
    """For NFS, the exported path, which follows `server:` in fstab. For Lustre, the mount name, which follows
    `server@tcp:/`."""
    options: str
    """Mount options."""


@dataclass(frozen=True)
@checked_args
class Tags:
    """Tags for all of a cluster's resources, in the form that the cloud accepts.

    The tags always include `ClusterName`, which budgets and the reaper of elastic nodes use to find the cluster's
    resources. Programs should import this class from their cloud's package, because a cloud that allows fewer
    characters in tags or labels defines a subclass. See `encode`.
    """

    cluster: str = field(default_factory=pulumi.get_stack)
    """The cluster's name, which nodes and daemons use to find one another. Default: the stack's name."""
    extra: Mapping[str, str] = field(default_factory=dict)
    """Your own tags, which are added to every resource."""

    @classmethod
    def from_plain(cls, tags: Mapping[str, str]) -> Self:
        """Return tags from a plain dict, e.g. `{"ClusterName": "cfd", "Team": "fluids"}`."""
        cluster = {"cluster": tags["ClusterName"]} if "ClusterName" in tags else {}
        return cls(extra={key: value for key, value in tags.items() if key != "ClusterName"}, **cluster)

    def for_resource(self, name: str, **more: Input[str]) -> dict[str, Input[str]]:
        """Return the tags for the resource named `name`. `more` adds further tags: for example, `role="compute"` sets
        `hpc:role`.
        """
        own: dict[str, Input[str]] = {f"hpc:{key.replace('_', '-')}": value for key, value in more.items()}
        return self.encode({**self.extra, "Name": name, "ClusterName": self.cluster, **own})

    @staticmethod
    def encode(tags: Mapping[str, Input[str]]) -> dict[str, Input[str]]:
        """Encode plain tags, such as `Project`, `ClusterName` or `hpc:role`, in a form that the cloud accepts.

        The encoding must be deterministic and idempotent. This class returns the tags unchanged.
        """
        return dict(tags)
