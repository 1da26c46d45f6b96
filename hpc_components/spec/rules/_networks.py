"""Network checks shared by several clouds."""

from collections.abc import Callable, Iterator, Sequence
from ipaddress import IPv4Network

from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Problem


def range_to_cut(cluster: ClusterSpec, plan: Callable[[IPv4Network], object], longest: int = 20) -> Iterator[Problem]:
    """Yield a problem if `plan` can't divide a new network's range into subnets. The remedy suggests a range from /16
    to /`longest`.
    """
    cidr = cluster.network.cidr
    if cidr is None:
        return
    try:
        plan(cidr)
    except ValueError:
        small = cidr.prefixlen > longest
        better = cidr.supernet(new_prefix=longest) if small else IPv4Network(f"{cidr.network_address}/16")
        yield Problem(
            path=("network", "cidr"),
            value=str(cidr),
            reason=f"{cidr} is too {'small' if small else 'large'} to be divided into the cluster's subnets",
            remedy=f"use a /16 to /{longest}, e.g. {better}",
        )


def subnets_elsewhere(cluster: ClusterSpec) -> Iterator[Problem]:
    """Yield a problem for each existing node subnet outside the cluster's region. Only for clouds with regional
    subnets.
    """
    existing = cluster.network.existing
    if existing is None or cluster.region not in existing.private:
        return
    for place in existing.private:
        if place != cluster.region:
            yield Problem(
                path=("network", "existing", "private", place),
                reason=f"a cluster in {cluster.region} has no nodes in {place}",
                remedy=f"remove this subnet; the subnet under {cluster.region} serves all zones",
            )


def endpoints_twice(services: Sequence[str]) -> Iterator[Problem]:
    for index, service in enumerate(services):
        if service in services[:index]:
            yield Problem(
                path=("network", "endpoints", index),
                value=service,
                reason=f"{service!r} is listed twice",
                remedy="remove the duplicate",
            )
