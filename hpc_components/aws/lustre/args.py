from hpc_components.aws.lustre.component import LUSTRE_MOUNT_OPTIONS, LustreFilesystemArgs
from hpc_components.aws.lustre.model import Lustre
from hpc_components.aws.lustre_links.component import LustreAssociation
from hpc_components.aws.ports import Network
from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.aws.tags import Tags
from hpc_components.ports import FileSystemMount


def lustre_args(cluster: AwsClusterSpec, lustre: Lustre, network: Network, tags: Tags) -> LustreFilesystemArgs:
    assert lustre.size is not None, "a rule requires a size for every new file system"
    return LustreFilesystemArgs(
        mount=lustre.mount,
        capacity_gib=int(lustre.size.lustre_gib),
        deployment=lustre.deployment,
        throughput=lustre.throughput,
        storage=lustre.storage,
        drive_cache=lustre.drive_cache,
        compression=lustre.compression,
        efa=lustre.efa,
        metadata_iops=lustre.metadata_iops,
        associations=tuple(
            LustreAssociation(
                path=link.path, bucket=link.bucket, auto_import=link.auto_import, auto_export=link.auto_export
            )
            for link in lustre.links
        ),
        backup_days=int(lustre.backups.days) if lustre.backups else None,
        kms_key=lustre.kms_key,
        subnet_id=network.private_subnets[cluster.zone],
        security_group_ids=network.security_groups.storage,
        retain=not cluster.throw_away,
        tags=tags,
    )


def existing_lustre(name: str, lustre: Lustre) -> FileSystemMount:
    assert lustre.existing is not None
    return FileSystemMount(
        name=name,
        type=lustre.type,
        mount=lustre.mount,
        server=lustre.existing.dns_name,
        export=lustre.existing.mount_name,
        options=LUSTRE_MOUNT_OPTIONS,
    )
