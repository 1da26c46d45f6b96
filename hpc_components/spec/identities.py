"""The identities that nodes have in the cloud: instance profiles, managed identities, service accounts."""

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
    """Path of the key that names it; `("head_node",)` for one that the cluster makes."""
    written: str
    """Its name in the description."""
    known_as: frozenset[str]
    """Its names in the cloud, in normalized spelling: two identities that share a name are the same."""
    removed_with: tuple[Path, ...] = ()
    """Keys that have to be removed together with it."""
    for_jobs: bool = False
    """Whether jobs get its credentials, with which the node reads the munge key."""


def node_places(cluster: "ClusterSpec") -> Iterator[tuple[Path, Model]]:
    """Yield the head node, the login nodes and all queues, each with its path."""
    yield ("head_node",), cluster.head_node
    if cluster.login_nodes is not None:
        yield ("login_nodes",), cluster.login_nodes
    for index, queue in enumerate(cluster.queues):
        yield ("queues", index), queue
