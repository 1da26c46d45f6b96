"""Head node, login nodes and disks in a description for AWS."""

from typing import Literal

from hpc_components.spec.model import Int
from hpc_components.spec.nodes import Disk, HeadNode, LoginNodes
from hpc_components.spec.values import Size


class AwsDisk(Disk):
    """An encrypted EBS volume."""

    type: Literal["gp3", "io1", "io2", "st1", "sc1"] = "gp3"
    """EBS volume type."""
    iops: Int | None = None
    """Operations per second, for gp3, io1 and io2."""
    throughput: Int | None = None
    """MiB/s, for gp3."""
    kms_key: str | None = None
    """ARN of the key that encrypts it, instead of the account's default key."""


class AwsHeadNode(HeadNode):
    """The node that runs Slurm's controller. When it is replaced, its address and state volume are kept."""

    root: AwsDisk = AwsDisk(size=Size.gib(64))
    """Root disk; lost when the node is replaced."""
    state: AwsDisk = AwsDisk(size=Size.gib(64))
    """Volume for Slurm's state and the accounting database; kept when the node is replaced."""
    key_pair: str | None = None
    """Name of an EC2 key pair for the first administrator. Session Manager works without one."""
    instance_profile: str | None = None
    """Name of an existing instance profile; default: a new one with the permissions that the node needs."""


class AwsLoginNodes(LoginNodes):
    """Nodes for users, behind a load balancer."""

    root: AwsDisk = AwsDisk(size=Size.gib(64))
    """Root disk."""
    key_pair: str | None = None
    """Name of an EC2 key pair."""
    instance_profile: str | None = None
    """Name of an existing instance profile; default: a new one with the permissions that the nodes need."""
