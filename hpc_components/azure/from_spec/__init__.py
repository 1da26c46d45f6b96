"""From a cluster's description to the arguments of its components. Pure, one function a component."""

from hpc_components.azure.from_spec.network import (
    existing_network,
    security_groups_args,
    ssh_places,
    storage_places,
    vpc_args,
)
from hpc_components.azure.from_spec.storage import bucket_args, existing_mount, home_args, lustre_args

__all__ = [
    "bucket_args",
    "existing_mount",
    "existing_network",
    "home_args",
    "lustre_args",
    "security_groups_args",
    "ssh_places",
    "storage_places",
    "vpc_args",
]
