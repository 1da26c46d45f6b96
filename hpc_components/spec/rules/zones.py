from collections.abc import Iterator

from hpc_components.catalog import region_of_zone, regions, zones
from hpc_components.catalog.clouds import catalog_of
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Level, Path, Problem
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._fleet import cloud_of
from hpc_components.wording import closest_word


@rule("HPC-MCH-001", Level.ERROR)
def known_region(cluster: ClusterSpec) -> Iterator[Problem]:
    """The region must exist on the cloud.

    The catalogue does not include regions that opened after its last update. Source: the cloud's own list, as
    recorded in the catalogue; on AWS, EC2 DescribeRegions.
    """
    known = regions(cluster.cloud)
    if cluster.region not in known:
        near = region_of_zone(cluster.cloud, cluster.region) or closest_word(cluster.region, known, cutoff=0.7)
        yield Problem(
            path=("region",),
            value=cluster.region,
            reason=f"the catalogue lists no region {cluster.region!r} for {cloud_of(cluster)}",
            remedy=f"did you mean {near}?" if near else f"use one of {', '.join(known)}",
        )


@rule("HPC-MCH-002", Level.ERROR)
def zones_of_region(cluster: ClusterSpec) -> Iterator[Problem]:
    """Every zone must be the id of a zone in the cluster's region.

    The catalogue uses these ids to list what each zone sells. On AWS, an id (`use2-az2`) refers to the same zone in
    every account; a name (`us-east-2b`) does not. Source: EC2 user guide, "Availability Zone IDs".
    """
    known = zones(cluster.cloud, cluster.region)
    for path, zone in cluster.mentioned_zones() if known else ():
        if zone in known:
            continue
        elsewhere = region_of_zone(cluster.cloud, zone)
        if mistaken := catalog_of(cluster.cloud).id_mistake("zone", zone, cluster.region):
            reason, remedy = mistaken.reason, mistaken.remedy
        elif elsewhere:
            reason = f"{zone!r} is in {elsewhere}, but the cluster is in {cluster.region}"
            remedy = f"use one of {', '.join(known)}, or use region: {elsewhere} and only zones in that region"
        else:
            reason, remedy = f"{zone!r} is not a zone of {cluster.region}", f"use one of {', '.join(known)}"
        yield Problem(path=path, value=zone, reason=reason, remedy=remedy)


@rule("HPC-MCH-003", Level.ERROR)
def zones_once(cluster: ClusterSpec) -> Iterator[Problem]:
    """Lists of zones must not contain duplicates.

    The cluster has only one subnet per zone, and load balancers and capacity requests refuse duplicate subnets.
    Source: Elastic Load Balancing API reference, CreateLoadBalancer, Subnets: one for each zone.
    """
    lists: list[tuple[Path, tuple[str, ...]]] = [
        (("queues", index, "zones"), queue.zones) for index, queue in enumerate(cluster.queues)
    ]
    if cluster.login_nodes:
        lists.append((("login_nodes", "zones"), cluster.login_nodes.zones))
    for path, listed in lists:
        for index, zone in enumerate(listed):
            if zone in listed[:index]:
                yield Problem(
                    path=(*path, index), value=zone, reason=f"{zone} is listed twice", remedy="remove the duplicate"
                )
