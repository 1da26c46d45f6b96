from hpc_components.azure.disks.model import AzureDisk
from hpc_components.azure.images.model import ImagePlan
from hpc_components.spec.nodes import LoginNodes
from hpc_components.spec.values import Size


class AzureLoginNodes(LoginNodes):
    """Nodes that users log in to, behind a single load-balanced address."""

    root: AzureDisk = AzureDisk(size=Size.gib(64))
    """Root disk."""
    image_plan: ImagePlan | None = None
    """Purchase plan of `image`, if it has one."""
    ssh_key: str | None = None
    """The administrator's public SSH key."""
    identity: str | None = None
    """Id of an existing user-assigned identity."""
