"""The head node, the login nodes and the disks of an AWS cluster."""

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
    """The node that runs Slurm's controller. It can be replaced: its address and state volume outlive it."""

    root: AwsDisk = AwsDisk(size=Size.gib(64))
    """Root disk; lost when the node is replaced."""
    state: AwsDisk = AwsDisk(size=Size.gib(64))
    """Volume for Slurm's state and the accounting database; outlives the node."""
    key_pair: str | None = None
    """Name of an EC2 key pair for the first administrator. Session Manager works without one."""
    instance_profile: str | None = None
    """An existing instance profile, instead of one with just the permissions needed."""


class AwsLoginNodes(LoginNodes):
    """Nodes for users, behind one load-balanced address."""

    root: AwsDisk = AwsDisk(size=Size.gib(64))
    """Root disk."""
    key_pair: str | None = None
    """Name of an EC2 key pair."""
    instance_profile: str | None = None
    """An existing instance profile."""
