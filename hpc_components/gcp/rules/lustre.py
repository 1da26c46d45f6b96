"""Rules on Lustre file systems: what Managed Lustre sells, and where it is."""

from collections.abc import Iterator

from hpc_components.catalog import zones
from hpc_components.catalog.refusal import Refusal, Why
from hpc_components.gcp.catalog.lustre import (
    LustreOrder,
    growth_limit_gib,
    lustre_refusals,
    lustre_sold,
    lustre_tier,
    nearest_lustre_sizes,
)
from hpc_components.gcp.rules._stores import lustre_systems, store_zone
from hpc_components.gcp.spec.cluster import GcpClusterSpec
from hpc_components.gcp.spec.storage import Lustre
from hpc_components.spec.findings import Level, Path, Problem
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._hosts import lustre_servers
from hpc_components.wording import any_of


@rule("HPC-GML-001", Level.ERROR)
def lustre_has_size(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """A Lustre file system that Google is to make has a size.

    Source: Managed Lustre documentation, "Performance tiers".
    """
    for path, _, refusal in _refused(cluster, "size_gib", Why.MISSING):
        yield Problem(
            path=path,
            reason="it has neither size nor existing",
            remedy=f"add size: {refusal.allowed[0]}GiB, or a multiple of it; or existing",
        )


@rule("HPC-GML-002", Level.ERROR)
def lustre_size(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """The size of a Lustre file system is a step of its throughput, and above a threshold a larger step.

    9,000 GiB at 1000 MB/s per TiB, 18,000 at 500, 36,000 at 250, 72,000 at 125; large ones come in larger steps.
    Source: Managed Lustre documentation, "Performance tiers".
    """
    for path, lustre, refusal in _refused(cluster, "size_gib", Why.NOT_SOLD):
        tier, size = lustre_tier(lustre.throughput), lustre.size
        if tier is None or size is None or size.in_gib > tier.max_gib:
            continue
        large = tier.threshold_gib is not None and size.in_gib > tier.threshold_gib
        yield Problem(
            path=(*path, "size"),
            value=str(size),
            reason=f"Managed Lustre with {tier.throughput} MB/s per TiB is sold in multiples of"
            f" {tier.step(size.in_gib)} GiB"
            + (f" above {tier.threshold_gib}" if large else "")
            + f"; this is {size.in_gib:,.10g} GiB",
            remedy=f"use {any_of(f'{gib}GiB' for gib in refusal.allowed)}",
        )


@rule("HPC-GML-003", Level.ERROR)
def lustre_limit(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """A Lustre file system is no larger than its throughput allows.

    Source: Managed Lustre documentation, "Performance tiers". The figure for 125 MB/s is unsure: there it is only
    warned about.
    """
    for path, lustre, _ in _refused(cluster, "size_gib", Why.NOT_SOLD):
        tier, size = lustre_tier(lustre.throughput), lustre.size
        if tier is not None and size is not None and size.in_gib > tier.max_gib:
            yield Problem(
                path=(*path, "size"),
                value=str(size),
                reason=f"with {tier.throughput} MB/s per TiB a file system has at most {tier.max_gib:,} GiB",
                remedy=f"use {tier.max_gib}GiB, or several file systems",
                level=Level.WARNING if "max_gib" in tier.unsure else None,
            )


@rule("HPC-GML-004", Level.INFO)
def lustre_grows(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """A Lustre file system that is to grow much is made large enough to do so.

    One that was made with up to a tier's threshold (1,530,000 GiB at 1000 MB/s per TiB) never grows beyond it.
    Source: Managed Lustre documentation, "Increase capacity".
    """
    for path, lustre in lustre_systems(cluster):
        tier, size = lustre_tier(lustre.throughput), lustre.size
        most = growth_limit_gib(tier, size.in_gib) if tier and size else None
        if tier and size and most and most < tier.max_gib and size.in_gib > most / 2:
            yield Problem(
                path=(*path, "size"),
                value=str(size),
                reason=f"one that is made with up to {most:,} GiB never grows beyond that",
                remedy=f"use {nearest_lustre_sizes(tier, most + 1)[-1]}GiB if it may have to",
            )


@rule("HPC-GML-005", Level.INFO)
def lustre_across_zones(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """Nodes in other zones than a Lustre file system have a longer way to it, pay for it, and lose it with its zone.

    Source: Managed Lustre documentation, "Managed Lustre overview", zonal; VPC pricing, traffic between zones.
    """
    for path, lustre in lustre_systems(cluster):
        zone = store_zone(cluster, lustre)
        for index, queue in enumerate(cluster.queues):
            away = [other for other in cluster.queue_zones(queue) if other != zone]
            if away:
                listed = bool(queue.zones)
                yield Problem(
                    path=("queues", index, "zones", queue.zones.index(away[0])) if listed else (*path, "zone"),
                    value=away[0] if listed else zone,
                    reason=f"{path[1]} is in {zone}, and queue {queue.name} may be in {any_of(away)}",
                    remedy=f"keep jobs with much data in {zone}",
                )


@rule("HPC-GML-013", Level.WARNING)
def lustre_sold_here(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """Managed Lustre is offered in the zone of a Lustre file system.

    Google has it in some zones of each region. Where the list at hand does not have the whole region, that is only
    said. Source: Managed Lustre documentation, "Supported regions and zones".
    """
    for path, lustre in lustre_systems(cluster):
        zone = store_zone(cluster, lustre)
        sold = lustre_sold(zone)
        if sold or zone not in zones("gcp", cluster.region):
            continue
        yield Problem(
            path=(*path, "zone") if lustre.zone else path,
            value=lustre.zone,
            reason=f"Google's list of zones with Managed Lustre lacks {zone}"
            if sold is False
            else f"it is not known here whether Managed Lustre is offered in {zone}",
            remedy="look for the zone in https://docs.cloud.google.com/managed-lustre/docs/locations, or in what"
            f" `gcloud lustre locations list --project {cluster.project}` prints",
            level=None if sold is False else Level.INFO,
        )


@rule("HPC-MNT-013", Level.ERROR)
def lustre_server(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """An existing Lustre file system is named by both halves of its mount point, server and name.

    Both become `server@tcp:/name` in fstab. Source: Managed Lustre documentation, "Connect from Compute Engine";
    Lustre manual, mount.lustre: a name has at most eight characters.
    """
    yield from lustre_servers(cluster, "write what follows @tcp:/ in its mount point: gcloud lustre instances list")


def _refused(cluster: GcpClusterSpec, field: str, *whys: Why) -> Iterator[tuple[Path, Lustre, Refusal]]:
    """What Google would refuse in a field of the file systems that the cluster makes, for any or some reasons."""
    for path, lustre in lustre_systems(cluster):
        order = LustreOrder(
            throughput=lustre.throughput, size_gib=None if lustre.size is None else lustre.size.in_gib
        )
        for refusal in lustre_refusals(order):
            if refusal.field == field and (not whys or refusal.why in whys):
                yield path, lustre, refusal
