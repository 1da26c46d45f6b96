from collections.abc import Iterator
from dataclasses import dataclass

from hpc_components.catalog.clouds import catalog_of
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Level, Path, Problem
from hpc_components.spec.queue_defaults import root_size
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._fleet import facts
from hpc_components.spec.values import Size


@dataclass(frozen=True)
class _Root:
    path: Path
    size: Size
    image: str | None
    """Image specified for the node, or None if the node uses a default image."""
    machines: tuple[str, ...]


@rule("HPC-EBS-007", Level.ERROR)
def image_fits(cluster: ClusterSpec) -> Iterator[Problem]:
    """A root disk must be at least as large as its image.

    Source: the images' root devices; for images with drivers on AWS, the size that EC2's console recommends.
    """
    image_gib = catalog_of(cluster.cloud).image_gib
    plain = image_gib(cluster.os, None)
    for root in _roots(cluster):
        largest = max(
            (found for name in root.machines if (found := image_gib(cluster.os, facts(cluster, name)))), default=None
        )
        if root.image is not None or largest is None or root.size.in_gib >= largest[0]:
            continue
        gib, sure = largest
        yield Problem(
            path=(*root.path, "size"),
            value=str(root.size),
            reason=f"the image for {cluster.os}{' with drivers' if largest != plain else ''} takes up {gib} GiB"
            + ("" if sure else " or so"),
            remedy=f"use at least {max(gib, 20)}GiB, so that the node's software also fits on the disk",
            level=None if sure else Level.WARNING,
        )


def _roots(cluster: ClusterSpec) -> Iterator[_Root]:
    head, login = cluster.head_node, cluster.login_nodes
    yield _Root(("head_node", "root"), head.root.size, cluster.base_of(head.image), (head.machine,))
    if login:
        yield _Root(("login_nodes", "root"), login.root.size, cluster.base_of(login.image), (login.machine,))
    for index, queue in enumerate(cluster.queues):
        yield _Root(("queues", index, "root"), root_size(queue), cluster.base_of(queue.image), queue.machines)
