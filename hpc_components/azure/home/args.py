from hpc_components.azure.home.component import FILES_MOUNT_OPTIONS, NETAPP_MOUNT_OPTIONS, HomeFilesystemArgs
from hpc_components.azure.home.model import Nfs
from hpc_components.azure.ports import Group, Network
from hpc_components.azure.spec.cluster import AzureClusterSpec
from hpc_components.azure.tags import Tags
from hpc_components.ports import FileSystemMount
from hpc_components.spec.values import Duration
from hpc_components.typed_args import same_named


def home_args(cluster: AzureClusterSpec, nfs: Nfs, network: Network, group: Group, tags: Tags) -> HomeFilesystemArgs:
    assert nfs.size is not None, "a rule ensures that a new file system specifies a size"
    return HomeFilesystemArgs(
        **same_named(nfs, HomeFilesystemArgs),
        kind=nfs.service,
        capacity_gib=int(nfs.size.in_gib),
        snapshot_days=_days(nfs.snapshots) if nfs.service == "netapp" else None,
        deleted_share_days=_days(nfs.deleted_share_retention) if nfs.service == "files" else None,
        group=group,
        network=network,
        retain=not cluster.throw_away,
        tags=tags,
    )


def _days(kept: Duration | None) -> int:
    return int(kept.days) if kept else 0


def existing_home(name: str, nfs: Nfs) -> FileSystemMount:
    assert nfs.existing is not None
    return FileSystemMount(
        name=name,
        type=nfs.type,
        mount=nfs.mount,
        server=nfs.existing.server,
        export=nfs.existing.export,
        options=NETAPP_MOUNT_OPTIONS if nfs.service == "netapp" else FILES_MOUNT_OPTIONS,
    )
