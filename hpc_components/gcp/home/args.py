from hpc_components.gcp.home.component import NFS_MOUNT_OPTIONS, HomeFilesystemArgs
from hpc_components.gcp.home.model import Nfs
from hpc_components.gcp.ports import Network
from hpc_components.gcp.spec.cluster import GcpClusterSpec
from hpc_components.gcp.tags import Tags
from hpc_components.ports import FileSystemMount
from hpc_components.typed_args import same_named


def home_args(cluster: GcpClusterSpec, nfs: Nfs, network: Network, tags: Tags) -> HomeFilesystemArgs:
    assert nfs.size is not None, "a rule ensures that new file systems have a size"
    return HomeFilesystemArgs(
        project=cluster.project,
        **same_named(nfs, HomeFilesystemArgs),
        capacity_gib=int(nfs.size.in_gib),
        location=cluster.region if nfs.tier == "regional" else nfs.zone or cluster.zone,
        network=network,
        retain=not cluster.throw_away,
        tags=tags,
    )


def existing_home(name: str, nfs: Nfs) -> FileSystemMount:
    assert nfs.existing is not None
    return FileSystemMount(
        name=name,
        type=nfs.type,
        mount=nfs.mount,
        server=nfs.existing.server,
        export=nfs.existing.export,
        options=NFS_MOUNT_OPTIONS,
    )
