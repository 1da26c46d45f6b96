from hpc_components.aws.disks.model import AwsDisk
from hpc_components.spec.nodes import LoginNodes
from hpc_components.spec.values import Size


class AwsLoginNodes(LoginNodes):
    """Nodes that users log in to, behind a load balancer."""

    root: AwsDisk = AwsDisk(size=Size.gib(64))
    """Root disk."""
    key_pair: str | None = None
    """Name of an EC2 key pair."""
    instance_profile: str | None = None
    """Name of an existing instance profile. Default: a new profile with the permissions that the nodes need."""
