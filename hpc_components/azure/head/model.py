from hpc_components.azure.disks.model import AzureDisk
from hpc_components.azure.images.model import ImagePlan
from hpc_components.spec.nodes import HeadNode
from hpc_components.spec.values import Size


class AzureHeadNode(HeadNode):
    """The node that runs Slurm's controller. Its address and state disk are kept when it is replaced."""

    root: AzureDisk = AzureDisk(size=Size.gib(64))
    """Root disk. Its contents are lost when the node is replaced."""
    state: AzureDisk = AzureDisk(size=Size.gib(64))
    """Disk for Slurm's state and the accounting database. The disk is kept when the node is replaced."""
    image_plan: ImagePlan | None = None
    """Purchase plan of `image`, if it has one."""
    ssh_key: str | None = None
    """The administrator's public SSH key; the administrator logs in as `admin_user`. Default: a placeholder that no
    one has the private key for."""
    identity: str | None = None
    """Id of an existing user-assigned identity; default: a new identity with only the required permissions."""
