"""The network of a cluster: ours (`cidr`) or the user's own (`existing`)."""

from typing import Literal

from hpc_components.spec.model import AddressRange, Model
from hpc_components.spec.values import Duration

__all__ = ["ExistingNetwork", "ExistingSubnet", "Network", "SecurityGroups"]


class ExistingSubnet(Model):
    """A subnet that is there already."""

    id: str
    """The subnet's id, `subnet-0123456789abcdef0`."""
    cidr: AddressRange
    """Its address range; the head node's fixed address and the count of free addresses are computed from it."""


class SecurityGroups(Model):
    """Security groups that are there already, by the role that wears them."""

    head: tuple[str, ...] = ()
    """For the head node. Login and compute nodes ask it for names (port 53, UDP and TCP)."""
    login: tuple[str, ...] = ()
    """For the login nodes."""
    compute: tuple[str, ...] = ()
    """For compute nodes. With EFA, one of them must allow all traffic to and from itself."""
    storage: tuple[str, ...] = ()
    """For file systems."""


class ExistingNetwork(Model):
    """The user's own network. Nothing in it is changed."""

    vpc: str
    """The VPC's id, `vpc-0123456789abcdef0`."""
    cidr: AddressRange
    """The VPC's address range."""
    private: dict[str, ExistingSubnet]
    """Private subnets by zone id: compute nodes, storage, and the head node unless it is public."""
    public: dict[str, ExistingSubnet] = {}
    """Public subnets by zone id, for a public head node or load balancer."""
    security_groups: SecurityGroups | None = None
    """Own security groups; without them the cluster makes its own in the VPC."""


class Network(Model):
    """Where the cluster lives. Exactly one of `cidr` and `existing`."""

    cidr: AddressRange | None = None
    """Address range of a network made for this cluster, /16 to /20."""
    existing: ExistingNetwork | None = None
    """A network that is there already."""
    ssh_from: tuple[AddressRange, ...] = ()
    """Who may reach the public head node and login nodes by SSH. Nobody, if empty."""
    nat: Literal["one", "per_zone", "none"] = "one"
    """NAT gateways for the private subnets: one in the cluster's zone, one in each zone, or none."""
    endpoints: tuple[str, ...] = ("s3",)
    """AWS services reached without leaving the network (`s3`, `dynamodb` are free; others cost per hour and zone)."""
    flow_logs: Duration | None = None
    """Keep a log of all connections for this long (CloudWatch's steps: 1d, 3d, 5d, 7d, 14d, 30d, ...)."""
