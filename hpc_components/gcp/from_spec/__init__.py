"""Pure functions that turn a cluster's description into component arguments, one function per component."""

from hpc_components.gcp.apis.args import apis_args
from hpc_components.gcp.audit.args import audit_args
from hpc_components.gcp.budget.args import budget_args
from hpc_components.gcp.config_bucket.args import config_args
from hpc_components.gcp.data_bucket.args import bucket_args
from hpc_components.gcp.disks.args import root_disk
from hpc_components.gcp.firewall.args import firewall_args
from hpc_components.gcp.fleet.args import fleet_args
from hpc_components.gcp.from_spec.storage import existing_mount
from hpc_components.gcp.head.args import head_args
from hpc_components.gcp.home.args import home_args
from hpc_components.gcp.identity.args import identity_args
from hpc_components.gcp.images.args import image
from hpc_components.gcp.login.args import login_args
from hpc_components.gcp.lustre.args import lustre_args
from hpc_components.gcp.network.args import existing_network, needs_services, vpc_args
from hpc_components.gcp.node_logs.args import logs_args
from hpc_components.gcp.node_reaper.args import reaper_args
from hpc_components.gcp.placement.args import placement_args
from hpc_components.gcp.secrets.args import secrets_args

__all__ = [
    "apis_args",
    "audit_args",
    "bucket_args",
    "budget_args",
    "config_args",
    "existing_mount",
    "existing_network",
    "firewall_args",
    "fleet_args",
    "head_args",
    "home_args",
    "identity_args",
    "image",
    "login_args",
    "logs_args",
    "lustre_args",
    "needs_services",
    "placement_args",
    "reaper_args",
    "root_disk",
    "secrets_args",
    "vpc_args",
]
