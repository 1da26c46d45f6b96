"""AWS components, one a file, each usable alone with plain ids; and the tags that all of them take.

Importing one does not import the others.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hpc_components.aws.cluster import Cluster
    from hpc_components.aws.components.budget import ClusterBudget, ClusterBudgetArgs
    from hpc_components.aws.components.compute_fleet import EfaComputeFleet, EfaComputeFleetArgs
    from hpc_components.aws.components.config_bucket import ConfigBucket, ConfigBucketArgs
    from hpc_components.aws.components.data_bucket import (
        DataBucket,
        DataBucketArgs,
        ExpressDataBucket,
        ExpressDataBucketArgs,
    )
    from hpc_components.aws.components.data_identity import DataIdentity, DataIdentityArgs
    from hpc_components.aws.components.home_filesystem import HomeFilesystem, HomeFilesystemArgs
    from hpc_components.aws.components.launch_template import RootDisk
    from hpc_components.aws.components.login_node_nlb import LoginNodeNLB, LoginNodeNLBArgs
    from hpc_components.aws.components.lustre_filesystem import (
        LustreAssociation,
        LustreFilesystem,
        LustreFilesystemArgs,
    )
    from hpc_components.aws.components.node_identity import NodeIdentity, NodeIdentityArgs
    from hpc_components.aws.components.node_reaper import NodeReaper, NodeReaperArgs
    from hpc_components.aws.components.placement_group import PlacementGroup, PlacementGroupArgs
    from hpc_components.aws.components.security_groups import SecurityGroups, SecurityGroupsArgs
    from hpc_components.aws.components.slurm_head_node import SlurmHeadNode, SlurmHeadNodeArgs, StateDisk
    from hpc_components.aws.components.vpc import Vpc, VpcArgs
    from hpc_components.aws.tags import Tags

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
    "EfaComputeFleet",
    "EfaComputeFleetArgs",
    "ExpressDataBucket",
    "ExpressDataBucketArgs",
    "HomeFilesystem",
    "HomeFilesystemArgs",
    "LoginNodeNLB",
    "LoginNodeNLBArgs",
    "LustreAssociation",
    "LustreFilesystem",
    "LustreFilesystemArgs",
    "NodeIdentity",
    "NodeIdentityArgs",
    "NodeReaper",
    "NodeReaperArgs",
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
    "EfaComputeFleet": "components.compute_fleet",
    "ExpressDataBucket": "components.data_bucket",
    "HomeFilesystem": "components.home_filesystem",
    "LoginNodeNLB": "components.login_node_nlb",
    "LustreAssociation": "components.lustre_filesystem",
    "LustreFilesystem": "components.lustre_filesystem",
    "NodeIdentity": "components.node_identity",
    "NodeReaper": "components.node_reaper",
    "PlacementGroup": "components.placement_group",
    "RootDisk": "components.launch_template",
    "SecurityGroups": "components.security_groups",
    "SlurmHeadNode": "components.slurm_head_node",
    "StateDisk": "components.slurm_head_node",
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
