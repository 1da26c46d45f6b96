"""Google Cloud components, one a file, each usable alone with plain ids; and the tags that all of them take.

Importing one does not import the others.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hpc_components.gcp.cluster import Cluster
    from hpc_components.gcp.components.apis import ProjectServices, ProjectServicesArgs
    from hpc_components.gcp.components.budget import ClusterBudget, ClusterBudgetArgs
    from hpc_components.gcp.components.card_networks import NetworkCards
    from hpc_components.gcp.components.compute_fleet import CompactComputeFleet, CompactComputeFleetArgs
    from hpc_components.gcp.components.config_bucket import ConfigBucket, ConfigBucketArgs
    from hpc_components.gcp.components.data_bucket import DataBucket, DataBucketArgs
    from hpc_components.gcp.components.data_identity import DataIdentity, DataIdentityArgs
    from hpc_components.gcp.components.firewall import FirewallRules, FirewallRulesArgs
    from hpc_components.gcp.components.login_node_nlb import LoginNodeNLB, LoginNodeNLBArgs
    from hpc_components.gcp.components.machine_profile import RootDisk
    from hpc_components.gcp.components.node_identity import NodeIdentity, NodeIdentityArgs
    from hpc_components.gcp.components.node_logs import NodeLogs, NodeLogsArgs
    from hpc_components.gcp.components.node_metadata import Login
    from hpc_components.gcp.components.node_reaper import NodeReaper, NodeReaperArgs
    from hpc_components.gcp.components.placement_group import PlacementGroup, PlacementGroupArgs
    from hpc_components.gcp.components.secrets import NodeSecrets, NodeSecretsArgs
    from hpc_components.gcp.components.slurm_head_node import SlurmHeadNode, SlurmHeadNodeArgs
    from hpc_components.gcp.components.state_disk import StateDisk
    from hpc_components.gcp.components.vpc import Vpc, VpcArgs
    from hpc_components.gcp.home.component import HomeFilesystem, HomeFilesystemArgs
    from hpc_components.gcp.lustre.component import LustreFilesystem, LustreFilesystemArgs
    from hpc_components.gcp.tags import Tags

__all__ = [
    "Cluster",
    "ClusterBudget",
    "ClusterBudgetArgs",
    "CompactComputeFleet",
    "CompactComputeFleetArgs",
    "ConfigBucket",
    "ConfigBucketArgs",
    "DataBucket",
    "DataBucketArgs",
    "DataIdentity",
    "DataIdentityArgs",
    "FirewallRules",
    "FirewallRulesArgs",
    "HomeFilesystem",
    "HomeFilesystemArgs",
    "Login",
    "LoginNodeNLB",
    "LoginNodeNLBArgs",
    "LustreFilesystem",
    "LustreFilesystemArgs",
    "NetworkCards",
    "NodeIdentity",
    "NodeIdentityArgs",
    "NodeLogs",
    "NodeLogsArgs",
    "NodeReaper",
    "NodeReaperArgs",
    "NodeSecrets",
    "NodeSecretsArgs",
    "PlacementGroup",
    "PlacementGroupArgs",
    "ProjectServices",
    "ProjectServicesArgs",
    "RootDisk",
    "SlurmHeadNode",
    "SlurmHeadNodeArgs",
    "StateDisk",
    "Tags",
    "Vpc",
    "VpcArgs",
]

_MODULES = {
    "Cluster": "cluster",
    "ClusterBudget": "components.budget",
    "CompactComputeFleet": "components.compute_fleet",
    "ConfigBucket": "components.config_bucket",
    "DataBucket": "components.data_bucket",
    "DataIdentity": "components.data_identity",
    "FirewallRules": "components.firewall",
    "HomeFilesystem": "home.component",
    "Login": "components.node_metadata",
    "LoginNodeNLB": "components.login_node_nlb",
    "LustreFilesystem": "lustre.component",
    "NetworkCards": "components.card_networks",
    "NodeIdentity": "components.node_identity",
    "NodeLogs": "components.node_logs",
    "NodeReaper": "components.node_reaper",
    "NodeSecrets": "components.secrets",
    "PlacementGroup": "components.placement_group",
    "ProjectServices": "components.apis",
    "RootDisk": "components.machine_profile",
    "SlurmHeadNode": "components.slurm_head_node",
    "StateDisk": "components.state_disk",
    "Tags": "tags",
    "Vpc": "components.vpc",
}
"""Where each name lives; a component's Args are beside it."""


def __getattr__(name: str) -> Any:
    module = _MODULES.get(name.removesuffix("Args"))
    if module is None or name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{module}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
