from hpc_components.gcp.lustre.component import LUSTRE_MOUNT_OPTIONS, LustreFilesystemArgs
from hpc_components.gcp.lustre.model import Lustre
from hpc_components.gcp.ports import Identities, Network
from hpc_components.gcp.spec.cluster import GcpClusterSpec
from hpc_components.gcp.tags import Tags
from hpc_components.ports import FileSystemMount
from hpc_components.spec.addresses import head_address


def lustre_args(
    cluster: GcpClusterSpec, lustre: Lustre, network: Network, as_head: Identities, tags: Tags
) -> LustreFilesystemArgs:
    """Return the arguments for a Lustre file system. `as_head` is the account that requests transfers to and from
    buckets.
    """
    assert lustre.size is not None, "a rule ensures that new file systems have a size"
    return LustreFilesystemArgs(
        project=cluster.project,
        mount=lustre.mount,
        capacity_gib=int(lustre.size.in_gib),
        throughput=lustre.throughput,
        zone=lustre.zone or cluster.zone,
        network=network,
        import_from=lustre.import_from,
        export_to=lustre.export_to,
        copied_by=as_head.own,
        root_squash=lustre.root_squash,
        # root on the head node must be able to create homes and job directories
        trusted=() if lustre.root_squash == "none" else (str(head_address(cluster)),),
        kms_key=lustre.kms_key,
        retain=not cluster.throw_away,
        tags=tags,
    )


def existing_lustre(name: str, lustre: Lustre) -> FileSystemMount:
    assert lustre.existing is not None
    return FileSystemMount(
        name=name,
        type=lustre.type,
        mount=lustre.mount,
        server=lustre.existing.server,
        export=lustre.existing.mount_name,
        options=LUSTRE_MOUNT_OPTIONS,
    )
