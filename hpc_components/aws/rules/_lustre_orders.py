"""A cluster's Lustre file systems, as they are ordered from FSx."""

from collections.abc import Iterator

from hpc_components.aws.catalog.lustre import LustreOrder, lustre_refusals
from hpc_components.aws.rules._stores import lustre_systems
from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.aws.spec.storage import Lustre
from hpc_components.catalog.refusal import Refusal, Why
from hpc_components.spec.findings import Path


def refused(cluster: AwsClusterSpec, field: str, *whys: Why) -> Iterator[tuple[Path, Lustre, Refusal]]:
    """What FSx would refuse in a field of the file systems that the cluster makes, for any or some reasons."""
    for path, lustre in lustre_systems(cluster):
        for refusal in lustre_refusals(lustre_order(lustre)):
            if refusal.field == field and (not whys or refusal.why in whys):
                yield path, lustre, refusal


def lustre_order(lustre: Lustre) -> LustreOrder:
    """A described file system as an order."""
    return LustreOrder(
        deployment=lustre.deployment,
        storage=lustre.storage,
        size_gib=None if lustre.size is None else lustre.size.lustre_gib,
        throughput=lustre.throughput,
        drive_cache=lustre.drive_cache,
        efa=lustre.efa,
        metadata_iops=lustre.metadata_iops,
        kms_key=lustre.kms_key is not None,
        backup_days=None if lustre.backups is None else lustre.backups.days,
        links=len(lustre.links),
    )
