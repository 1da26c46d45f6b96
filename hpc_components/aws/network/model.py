from collections.abc import Iterator
from typing import Literal

from hpc_components.spec.findings import Path
from hpc_components.spec.model import AddressRange, Model
from hpc_components.spec.network import ExistingNetwork, ExistingSubnet, Network
from hpc_components.spec.values import Duration


class SecurityGroups(Model):
    """Existing security groups for each role in the cluster."""

    head: tuple[str, ...] = ()
    """Security groups of the head node. They must admit DNS queries (port 53, UDP and TCP) from login and compute
    nodes, because the head node is their DNS server."""
    login: tuple[str, ...] = ()
    """Security groups of the login nodes."""
    compute: tuple[str, ...] = ()
    """Security groups of the compute nodes. With EFA, one of them must allow all traffic to and from itself."""
    storage: tuple[str, ...] = ()
    """Security groups of the file systems."""


class AwsExistingNetwork(ExistingNetwork):
    """An existing network, which the cluster does not change."""

    id_key = "vpc"
    let_in_by = "own security_groups"
    private: dict[str, ExistingSubnet]
    """Private subnets, keyed by zone id, for compute nodes, storage, and the head node unless it is public."""
    public: dict[str, ExistingSubnet] = {}
    """Public subnets, keyed by zone id, for a public head node or load balancer."""
    vpc: str
    """Id of the VPC, such as `vpc-0123456789abcdef0`."""
    security_groups: SecurityGroups | None = None
    """Existing security groups. By default, the cluster creates its own in the VPC."""

    @property
    def shown_by(self) -> str:
        return f"`aws ec2 describe-vpcs --vpc-ids {self.vpc}`"

    def subnets(self) -> Iterator[tuple[Path, ExistingSubnet]]:
        """Yield the subnets, private ones first."""
        yield from super().subnets()
        for zone, subnet in self.public.items():
            yield ("public", zone), subnet


class AwsNetwork(Network):
    """The cluster's network. Specify exactly one of `cidr` and `existing`."""

    made_only = ("nat", "endpoints", "flow_logs")
    cidr: AddressRange | None = None
    """Address range of a new network for this cluster, from /16 to /20."""
    existing: AwsExistingNetwork | None = None
    """An existing network to use instead of creating a new one."""
    nat: Literal["one", "per_zone", "none"] = "one"
    """NAT gateways for the private subnets: one in the cluster's zone, one in each zone, or none."""
    endpoints: tuple[str, ...] = ("s3",)
    """AWS services for which to create VPC endpoints. Endpoints for `s3` and `dynamodb` are free; others are billed
    per hour and zone."""
    flow_logs: Duration | None = None
    """How long to keep flow logs: one of CloudWatch's retention times (1d, 3d, 5d, 7d, 14d, 30d, ...), or null for no
    flow logs."""
