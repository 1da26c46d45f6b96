"""Rules on existing Lustre file systems: their names match, and nodes can reach them."""

import re
from collections.abc import Iterator

from hpc_components.aws.catalog.file_system_names import read_file_system_name
from hpc_components.aws.rules._stores import cut_name, lustre_systems
from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.rule import rule


@rule("HPC-MNT-008", Level.ERROR)
def lustre_name(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """The DNS name of an existing Lustre file system matches its id, FSx and the cluster's region.

    Otherwise the mount fails on every node and no node joins, or nodes mount another file system. A file system in
    another region is reachable through peered networks only, by its address. Source: FSx for Lustre user guide,
    "Mounting from on-premises or a peered Amazon VPC".
    """
    for path, lustre in lustre_systems(cluster, new=False):
        if lustre.existing is None:
            continue
        host, id = lustre.existing.dns_name, lustre.existing.id
        name = read_file_system_name(host)
        if name is None and not re.fullmatch(r"fs-[a-z0-9.-]+", host):
            continue
        if name is None:
            reason, remedy = cut_name(host), f"write {host.partition('.')[0]}.fsx.{cluster.region}.amazonaws.com"
        elif name.service == "efs":
            reason, remedy = (
                "it is a file system of EFS, not of FSx",
                "mount it as an nfs file system with existing.server, or write the name of an FSx file system",
            )
        elif name.region != cluster.region:
            reason = f"the file system is in {name.region}, the cluster in {cluster.region}"
            remedy = f"name one of {cluster.region}: `aws fsx describe-file-systems --region {cluster.region}`"
        elif name.id != id and re.fullmatch(r"fs-[0-9a-f]{8,17}", id):
            reason = f"it is the name of {name.id}, but id is {id}"
            remedy = f"copy both from one entry of `aws fsx describe-file-systems --region {cluster.region}`"
        else:
            continue
        yield Problem(path=(*path, "existing", "dns_name"), value=host, reason=reason, remedy=remedy)
