"""Rules on the size of a new network."""

from collections.abc import Iterator
from ipaddress import IPv4Network

from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.rule import rule


@rule("HPC-NET-003", Level.ERROR)
def range_size(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """The range of a new network is a /16 to /20.

    A VPC allows at most a /16. A range smaller than a /20 can't be divided into a public and a private subnet for
    each of seven zones. Source: Amazon VPC user guide, "VPC CIDR blocks"; the address plan of `spec/addresses.py`.
    """
    cidr = cluster.network.cidr
    if cidr is None or 16 <= cidr.prefixlen <= 20:
        return
    if cidr.prefixlen > 20:
        reason, better = "is too small for the subnets of all zones", cidr.supernet(new_prefix=20)
    else:
        reason, better = "is larger than a VPC allows", IPv4Network(f"{cidr.network_address}/16")
    yield Problem(
        path=("network", "cidr"),
        value=str(cidr),
        reason=f"{cidr} {reason}",
        remedy=f"use a /16 to /20, e.g. {better}",
    )
