"""Conversion of a description to the arguments of components: pure functions, one per component."""

from hpc_components.aws.buckets.args import bucket_args, express_bucket_args
from hpc_components.aws.budget.args import budget_args
from hpc_components.aws.config_bucket.args import config_args
from hpc_components.aws.disks.args import root_disk
from hpc_components.aws.fleet.args import fleet_args
from hpc_components.aws.head.args import head_args
from hpc_components.aws.home.args import existing_home, home_args
from hpc_components.aws.identity.args import existing_identity, identity_args
from hpc_components.aws.images.args import image
from hpc_components.aws.login.args import login_args
from hpc_components.aws.lustre.args import existing_lustre, lustre_args
from hpc_components.aws.network.args import (
    existing_network,
    retains_storage,
    security_groups_args,
    ssh_roles,
    uses_efa_storage,
    vpc_args,
)
from hpc_components.aws.node_reaper.args import reaper_args

__all__ = [
    "bucket_args",
    "budget_args",
    "config_args",
    "existing_home",
    "existing_identity",
    "existing_lustre",
    "existing_network",
    "express_bucket_args",
    "fleet_args",
    "head_args",
    "home_args",
    "identity_args",
    "image",
    "login_args",
    "lustre_args",
    "reaper_args",
    "retains_storage",
    "root_disk",
    "security_groups_args",
    "ssh_roles",
    "uses_efa_storage",
    "vpc_args",
]
