"""Describes the cloud identities of nodes: instance profiles, managed identities or service accounts."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hpc_components.spec.findings import Path
from hpc_components.spec.model import Model

if TYPE_CHECKING:
    from hpc_components.spec.cluster import ClusterSpec


@dataclass(frozen=True, kw_only=True)
class NodeIdentity:
    """The cloud identity of the head node, the login nodes or a queue's nodes."""

    path: Path
    """Path of the key that specifies the identity, or `("head_node",)` if the cluster creates the identity."""
    written: str
    """The identity as written in the description."""
    known_as: frozenset[str]
    """The identity's names in the cloud, normalized. Two identities that share a name are the same identity."""
    removed_with: tuple[Path, ...] = ()
    """Paths of other keys that must be removed along with this identity."""
    for_jobs: bool = False
    """Whether jobs can get this identity's credentials, and with them access to the munge key."""


def node_places(cluster: "ClusterSpec") -> Iterator[tuple[Path, Model]]:
    yield ("head_node",), cluster.head_node
    if cluster.login_nodes is not None:
        yield ("login_nodes",), cluster.login_nodes
    for index, queue in enumerate(cluster.queues):
        yield ("queues", index), queue
