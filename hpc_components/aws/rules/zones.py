"""Rules on regions and zones."""

import re
from collections.abc import Iterator

from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.aws.spec.storage import ExpressBucket
from hpc_components.catalog import region_of_zone, regions, zones
from hpc_components.spec.findings import Level, Path, Problem
from hpc_components.spec.rule import rule
from hpc_components.wording import closest_word

__all__: list[str] = []


@rule("HPC-MCH-001", Level.ERROR)
def known_region(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """The region is one of AWS's.

    Regions that are opened after the catalogue was made are not known to it. Source: EC2 DescribeRegions.
    """
    if cluster.region not in regions("aws"):
        near = region_of_zone("aws", cluster.region) or closest_word(cluster.region, regions("aws"), cutoff=0.7)
        yield Problem(
            path=("region",),
            value=cluster.region,
            reason=f"{cluster.region!r} is no region of AWS that we know",
            remedy=f"did you mean {near}?" if near else f"use one of {', '.join(regions('aws'))}",
        )


@rule("HPC-MCH-002", Level.ERROR)
def zones_of_region(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """Every zone is the id of a zone of the cluster's region.

    Ids (`use2-az2`) mean the same in every account; names (`us-east-2b`) do not, and what a zone sells is known by id
    only. Source: EC2 user guide, "Availability Zone IDs".
    """
    known = zones("aws", cluster.region)
    for path, zone in _mentioned(cluster) if known else ():
        if zone in known:
            continue
        elsewhere = region_of_zone("aws", zone)
        if re.fullmatch(rf"{cluster.region}[a-z]", zone):
            reason = f"{zone!r} is a zone's name, which means another place in each account"
            remedy = (
                f"write its id, one of {', '.join(known)}: `aws ec2 describe-availability-zones` shows which it is"
            )
        elif elsewhere:
            reason = f"{zone!r} is in {elsewhere}, the cluster is in {cluster.region}"
            remedy = f"use one of {', '.join(known)}, or region: {elsewhere}"
        else:
            reason, remedy = f"{zone!r} is no zone of {cluster.region}", f"use one of {', '.join(known)}"
        yield Problem(path=path, value=zone, reason=reason, remedy=remedy)


@rule("HPC-MCH-003", Level.ERROR)
def zones_once(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """No list of zones has the same zone twice.

    It has one subnet in each zone; a load balancer and a request for capacity refuse the same twice.
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
                    path=(*path, index), value=zone, reason=f"{zone} is listed twice", remedy="remove one of them"
                )


def _mentioned(cluster: AwsClusterSpec) -> Iterator[tuple[Path, str]]:
    """Every zone that the description names, and where."""
    yield ("zone",), cluster.zone
    for index, zone in enumerate(cluster.login_nodes.zones if cluster.login_nodes else ()):
        yield ("login_nodes", "zones", index), zone
    for number, queue in enumerate(cluster.queues):
        for index, zone in enumerate(queue.zones):
            yield ("queues", number, "zones", index), zone
    for name, bucket in cluster.buckets.items():
        if isinstance(bucket, ExpressBucket) and bucket.zone is not None:
            yield ("buckets", name, "zone"), bucket.zone
    if existing := cluster.network.existing:
        for kind, subnets in (("private", existing.private), ("public", existing.public)):
            for zone in subnets:
                yield ("network", "existing", kind, zone), zone
