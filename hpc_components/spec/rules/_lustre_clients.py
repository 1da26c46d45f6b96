from collections.abc import Callable, Iterator, Sequence

from hpc_components.catalog import operating_system
from hpc_components.catalog.base_image import LustreClient
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.node_images import images
from hpc_components.spec.rules._systems import use_system
from hpc_components.spec.rules.operating_systems import is_accepted, usable_systems


def unpublished_client(
    cluster: ClusterSpec, publisher: str, mounts: Sequence[str], client_of: Callable[[str], LustreClient | None]
) -> Iterator[Problem]:
    """Yield a problem if nodes must install a Lustre client that `publisher` doesn't offer for the system.

    If the sources don't confirm the client, the problem is a warning.
    """
    os, client = operating_system(cluster.os), client_of(cluster.os)
    sure = client is None or "os" not in client.unsure
    if os is None or not is_accepted(os) or os.name != cluster.os:
        return
    if not mounts or (client is not None and sure) or all(base.id for base in images(cluster)):
        return
    able = [one.name for one in usable_systems() if (found := client_of(one.name)) and "os" not in found.unsure]
    yield Problem(
        path=("os",),
        value=cluster.os,
        reason=f"{publisher} publishes no Lustre client for {cluster.os}, so nodes can't mount {mounts[0]}"
        if sure
        else f"not all sources say that {publisher} publishes a Lustre client for {cluster.os}, which is needed to "
        f"mount {mounts[0]}",
        remedy=f"{use_system(cluster, able)}, or use custom images that include the client on all nodes",
        level=None if sure else Level.WARNING,
    )
