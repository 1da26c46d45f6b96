from hpc_components.aws.home.component import OPENZFS_MOUNT_OPTIONS, HomeFilesystemArgs
from hpc_components.aws.home.model import Efs, Nfs, zones_of
from hpc_components.aws.home.offer import has_failover
from hpc_components.aws.ports import Network
from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.aws.tags import Tags
from hpc_components.ports import FileSystemMount
from hpc_components.typed_args import same_named


def home_args(cluster: AwsClusterSpec, home: Nfs | Efs, network: Network, tags: Tags) -> HomeFilesystemArgs:
    if isinstance(home, Efs):
        return _efs_args(cluster, home, network, tags)
    return _openzfs_args(cluster, home, network, tags)


def _openzfs_args(cluster: AwsClusterSpec, nfs: Nfs, network: Network, tags: Tags) -> HomeFilesystemArgs:
    assert nfs.size is not None, "a rule requires new file systems to specify a size"
    return HomeFilesystemArgs(
        **same_named(nfs, HomeFilesystemArgs),
        kind="openzfs",
        capacity_gib=int(nfs.size.in_gib),
        backup_days=int(nfs.backups.days) if nfs.backups else 0,
        clients=network.cidr,
        subnets={zone: network.private_subnets[zone] for zone in zones_of(nfs, cluster)},
        route_table_ids=network.route_tables if has_failover(nfs.deployment) else (),
        security_group_ids=network.security_groups.storage,
        retain=not cluster.throw_away,
        tags=tags,
    )


def _efs_args(cluster: AwsClusterSpec, efs: Efs, network: Network, tags: Tags) -> HomeFilesystemArgs:
    return HomeFilesystemArgs(
        **same_named(efs, HomeFilesystemArgs),
        kind="efs",
        clients=network.cidr,
        subnets={zone: network.private_subnets[zone] for zone in cluster.zones},
        security_group_ids=network.security_groups.storage,
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
        options=OPENZFS_MOUNT_OPTIONS,
    )
