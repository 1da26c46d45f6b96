from collections.abc import Iterator

from hpc_components.gcp.home.model import Nfs
from hpc_components.gcp.lustre.model import Lustre
from hpc_components.gcp.spec.cluster import GcpClusterSpec
from hpc_components.spec.findings import Path
from hpc_components.spec.stores import systems


def made(cluster: GcpClusterSpec) -> Iterator[tuple[Path, Lustre | Nfs]]:
    yield from systems(cluster, Lustre)
    yield from systems(cluster, Nfs)
