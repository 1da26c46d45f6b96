"""Converts a description to component arguments, with one pure function per component."""

from hpc_components.azure.buckets.args import bucket_args
from hpc_components.azure.budget.args import budget_args
from hpc_components.azure.config_bucket.args import config_args
from hpc_components.azure.disks.args import root_disk
from hpc_components.azure.fleet.args import fleet_args
from hpc_components.azure.from_spec.cluster import logs_args, vault_args
from hpc_components.azure.from_spec.storage import existing_mount
from hpc_components.azure.head.args import head_args
from hpc_components.azure.home.args import home_args
from hpc_components.azure.identity.args import identity_args
from hpc_components.azure.images.args import image
from hpc_components.azure.login.args import login_args
from hpc_components.azure.lustre.args import lustre_args
from hpc_components.azure.metrics.args import metrics_args
from hpc_components.azure.network.args import (
    existing_network,
    security_groups_args,
    ssh_places,
    storage_places,
    vpc_args,
)
from hpc_components.azure.node_reaper.args import reaper_args

__all__ = [
    "bucket_args",
    "budget_args",
    "config_args",
    "existing_mount",
    "existing_network",
    "fleet_args",
    "head_args",
    "home_args",
    "identity_args",
    "image",
    "login_args",
    "logs_args",
    "lustre_args",
    "metrics_args",
    "reaper_args",
    "root_disk",
    "security_groups_args",
    "ssh_places",
    "storage_places",
    "vault_args",
    "vpc_args",
]
