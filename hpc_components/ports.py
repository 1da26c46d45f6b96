"""The values that components of any cloud pass to one another: small, frozen, and easy to build by hand."""

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
    """How nodes mount a file system; becomes a line of fstab."""

    name: str
    """Name of the file system in the description."""
    type: str
    """`lustre` or `nfs`."""
    mount: str
    """Directory on the node."""
    server: Input[str]
    """Host that serves the file system."""
    export: Input[str]
    """Exported path, which follows `server:` (NFS), or mount name, which follows `server@tcp:/` (Lustre)."""
    options: str
    """Mount options."""


@dataclass(frozen=True)
@checked_args
class Tags:
    """The tags of every resource of one cluster, as its cloud writes them.

    `ClusterName` is always among them: budgets and the reaper of elastic nodes select by it. Programs import it from
    their cloud's package: a cloud whose tags (or labels) allow fewer characters has a subclass, see `encode`.
    """

    cluster: str = field(default_factory=pulumi.get_stack)
    """The cluster's name; default: the stack's name. Nodes and daemons find one another by it."""
    extra: Mapping[str, str] = field(default_factory=dict)
    """The user's own tags, for every resource."""

    @classmethod
    def from_plain(cls, tags: Mapping[str, str]) -> Self:
        """Return tags from a plain dict: `{"ClusterName": "cfd", "Team": "fluids"}`."""
        cluster = {"cluster": tags["ClusterName"]} if "ClusterName" in tags else {}
        return cls(extra={key: value for key, value in tags.items() if key != "ClusterName"}, **cluster)

    def for_resource(self, name: str, **more: Input[str]) -> dict[str, Input[str]]:
        """Return the tags of the resource called `name`; `more` adds others (`role="compute"` becomes `hpc:role`)."""
        own: dict[str, Input[str]] = {f"hpc:{key.replace('_', '-')}": value for key, value in more.items()}
        return self.encode({**self.extra, "Name": name, "ClusterName": self.cluster, **own})

    @staticmethod
    def encode(tags: Mapping[str, Input[str]]) -> dict[str, Input[str]]:
        """Return plain tags (`Project`, `ClusterName`, `hpc:role`) encoded as the cloud allows them.

        The encoding is deterministic and idempotent. Here it changes nothing.
        """
        return dict(tags)
