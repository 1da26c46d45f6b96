"""Azure components, one a file, each usable alone with plain ids; and the tags that all of them take.

Importing one does not import the others.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hpc_components.azure.cluster import Cluster
    from hpc_components.azure.components.budget import ClusterBudget, ClusterBudgetArgs
    from hpc_components.azure.components.compute_fleet import InfinibandComputeFleet, InfinibandComputeFleetArgs
    from hpc_components.azure.components.config_bucket import ConfigBucket, ConfigBucketArgs
    from hpc_components.azure.components.data_bucket import DataBucket, DataBucketArgs
    from hpc_components.azure.components.data_identity import DataIdentity, DataIdentityArgs
    from hpc_components.azure.components.login_node_nlb import LoginNodeNLB, LoginNodeNLBArgs
    from hpc_components.azure.components.lustre_filesystem import (
        LustreEncryption,
        LustreFilesystem,
        LustreFilesystemArgs,
    )
    from hpc_components.azure.components.lustre_link import LustreLink
    from hpc_components.azure.components.machine_profile import ImagePlan, RootDisk
    from hpc_components.azure.components.node_identity import NodeIdentity, NodeIdentityArgs
    from hpc_components.azure.components.node_logs import NodeLogs, NodeLogsArgs
    from hpc_components.azure.components.node_reaper import NodeReaper, NodeReaperArgs
    from hpc_components.azure.components.placement_group import PlacementGroup, PlacementGroupArgs
    from hpc_components.azure.components.security_groups import SecurityGroups, SecurityGroupsArgs
    from hpc_components.azure.components.slurm_head_node import SlurmHeadNode, SlurmHeadNodeArgs
    from hpc_components.azure.components.state_disk import StateDisk
    from hpc_components.azure.components.vault import NodeVault, NodeVaultArgs
    from hpc_components.azure.components.vpc import Vpc, VpcArgs
    from hpc_components.azure.home.component import HomeFilesystem, HomeFilesystemArgs
    from hpc_components.azure.tags import Tags

__all__ = [
    "Cluster",
    "ClusterBudget",
    "ClusterBudgetArgs",
    "ConfigBucket",
    "ConfigBucketArgs",
    "DataBucket",
    "DataBucketArgs",
    "DataIdentity",
    "DataIdentityArgs",
    "HomeFilesystem",
    "HomeFilesystemArgs",
    "ImagePlan",
    "InfinibandComputeFleet",
    "InfinibandComputeFleetArgs",
    "LoginNodeNLB",
    "LoginNodeNLBArgs",
    "LustreEncryption",
    "LustreFilesystem",
    "LustreFilesystemArgs",
    "LustreLink",
    "NodeIdentity",
    "NodeIdentityArgs",
    "NodeLogs",
    "NodeLogsArgs",
    "NodeReaper",
    "NodeReaperArgs",
    "NodeVault",
    "NodeVaultArgs",
    "PlacementGroup",
    "PlacementGroupArgs",
    "RootDisk",
    "SecurityGroups",
    "SecurityGroupsArgs",
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
    "ConfigBucket": "components.config_bucket",
    "DataBucket": "components.data_bucket",
    "DataIdentity": "components.data_identity",
    "HomeFilesystem": "home.component",
    "ImagePlan": "components.machine_profile",
    "InfinibandComputeFleet": "components.compute_fleet",
    "LoginNodeNLB": "components.login_node_nlb",
    "LustreEncryption": "components.lustre_filesystem",
    "LustreFilesystem": "components.lustre_filesystem",
    "LustreLink": "components.lustre_link",
    "NodeIdentity": "components.node_identity",
    "NodeLogs": "components.node_logs",
    "NodeReaper": "components.node_reaper",
    "NodeVault": "components.vault",
    "PlacementGroup": "components.placement_group",
    "RootDisk": "components.machine_profile",
    "SecurityGroups": "components.security_groups",
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
