"""AWS components, one a file, each usable alone with plain ids.

Importing one does not import the others.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hpc_components.aws.components.budget import ClusterBudget, ClusterBudgetArgs
    from hpc_components.aws.components.compute_fleet import EfaComputeFleet, EfaComputeFleetArgs
    from hpc_components.aws.components.config_bucket import ConfigBucket, ConfigBucketArgs
    from hpc_components.aws.components.data_bucket import (
        DataBucket,
        DataBucketArgs,
        ExpressDataBucket,
        ExpressDataBucketArgs,
    )
    from hpc_components.aws.components.data_role import DataRole, DataRoleArgs
    from hpc_components.aws.components.home_filesystem import HomeFilesystem, HomeFilesystemArgs
    from hpc_components.aws.components.launch_template import RootDisk
    from hpc_components.aws.components.login_node_nlb import LoginNodeNLB, LoginNodeNLBArgs
    from hpc_components.aws.components.lustre_filesystem import (
        LustreAssociation,
        LustreFilesystem,
        LustreFilesystemArgs,
    )
    from hpc_components.aws.components.node_reaper import NodeReaper, NodeReaperArgs
    from hpc_components.aws.components.node_role import NodeRole, NodeRoleArgs
    from hpc_components.aws.components.placement_group import PlacementGroup, PlacementGroupArgs
    from hpc_components.aws.components.policies import Statement
    from hpc_components.aws.components.security_groups import SecurityGroups, SecurityGroupsArgs
    from hpc_components.aws.components.slurm_head_node import SlurmHeadNode, SlurmHeadNodeArgs, StateDisk
    from hpc_components.aws.components.vpc import Vpc, VpcArgs

__all__ = [
    "ClusterBudget",
    "ClusterBudgetArgs",
    "ConfigBucket",
    "ConfigBucketArgs",
    "DataBucket",
    "DataBucketArgs",
    "DataRole",
    "DataRoleArgs",
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
    "NodeReaper",
    "NodeReaperArgs",
    "NodeRole",
    "NodeRoleArgs",
    "PlacementGroup",
    "PlacementGroupArgs",
    "RootDisk",
    "SecurityGroups",
    "SecurityGroupsArgs",
    "SlurmHeadNode",
    "SlurmHeadNodeArgs",
    "StateDisk",
    "Statement",
    "Vpc",
    "VpcArgs",
]

_MODULES = {
    "ClusterBudget": "budget",
    "ConfigBucket": "config_bucket",
    "DataBucket": "data_bucket",
    "DataRole": "data_role",
    "EfaComputeFleet": "compute_fleet",
    "ExpressDataBucket": "data_bucket",
    "HomeFilesystem": "home_filesystem",
    "LoginNodeNLB": "login_node_nlb",
    "LustreAssociation": "lustre_filesystem",
    "LustreFilesystem": "lustre_filesystem",
    "NodeReaper": "node_reaper",
    "NodeRole": "node_role",
    "PlacementGroup": "placement_group",
    "RootDisk": "launch_template",
    "SecurityGroups": "security_groups",
    "SlurmHeadNode": "slurm_head_node",
    "StateDisk": "slurm_head_node",
    "Statement": "policies",
    "Vpc": "vpc",
}
"""Where each name lives; a component's Args are beside it."""


def __getattr__(name: str) -> Any:
    module = _MODULES.get(name.removesuffix("Args"))
    if module is None or name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.components.{module}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
