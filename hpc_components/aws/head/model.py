from hpc_components.aws.disks.model import AwsDisk
from hpc_components.spec.nodes import HeadNode
from hpc_components.spec.values import Size


class AwsHeadNode(HeadNode):
    """The node that runs Slurm's controller. Its address and state volume are kept when the node is replaced."""

    root: AwsDisk = AwsDisk(size=Size.gib(64))
    """Root disk; lost when the node is replaced."""
    state: AwsDisk = AwsDisk(size=Size.gib(64))
    """Volume for Slurm's state and the accounting database; kept when the node is replaced."""
    key_pair: str | None = None
    """Name of an EC2 key pair for the first administrator. Session Manager works without one."""
    instance_profile: str | None = None
    """Name of an existing instance profile. Default: a new profile with the permissions that the node needs."""
