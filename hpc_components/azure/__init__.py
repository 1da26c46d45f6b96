"""Azure components, one a file, each usable alone with plain ids; and the tags that all of them take.

Importing one does not import the others.
"""

from typing import TYPE_CHECKING

from hpc_components.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from hpc_components.azure.cluster import Cluster as Cluster
    from hpc_components.azure.components.budget import ClusterBudget as ClusterBudget
    from hpc_components.azure.components.budget import ClusterBudgetArgs as ClusterBudgetArgs
    from hpc_components.azure.components.compute_fleet import InfinibandComputeFleet as InfinibandComputeFleet
    from hpc_components.azure.components.compute_fleet import InfinibandComputeFleetArgs as InfinibandComputeFleetArgs
    from hpc_components.azure.components.config_bucket import ConfigBucket as ConfigBucket
    from hpc_components.azure.components.config_bucket import ConfigBucketArgs as ConfigBucketArgs
    from hpc_components.azure.components.data_bucket import DataBucket as DataBucket
    from hpc_components.azure.components.data_bucket import DataBucketArgs as DataBucketArgs
    from hpc_components.azure.components.data_identity import DataIdentity as DataIdentity
    from hpc_components.azure.components.data_identity import DataIdentityArgs as DataIdentityArgs
    from hpc_components.azure.components.login_node_nlb import LoginNodeNLB as LoginNodeNLB
    from hpc_components.azure.components.login_node_nlb import LoginNodeNLBArgs as LoginNodeNLBArgs
    from hpc_components.azure.components.machine_profile import ImagePlan as ImagePlan
    from hpc_components.azure.components.machine_profile import RootDisk as RootDisk
    from hpc_components.azure.components.node_identity import NodeIdentity as NodeIdentity
    from hpc_components.azure.components.node_identity import NodeIdentityArgs as NodeIdentityArgs
    from hpc_components.azure.components.node_logs import NodeLogs as NodeLogs
    from hpc_components.azure.components.node_logs import NodeLogsArgs as NodeLogsArgs
    from hpc_components.azure.components.node_reaper import NodeReaper as NodeReaper
    from hpc_components.azure.components.node_reaper import NodeReaperArgs as NodeReaperArgs
    from hpc_components.azure.components.placement_group import PlacementGroup as PlacementGroup
    from hpc_components.azure.components.placement_group import PlacementGroupArgs as PlacementGroupArgs
    from hpc_components.azure.components.security_groups import SecurityGroups as SecurityGroups
    from hpc_components.azure.components.security_groups import SecurityGroupsArgs as SecurityGroupsArgs
    from hpc_components.azure.components.slurm_head_node import SlurmHeadNode as SlurmHeadNode
    from hpc_components.azure.components.slurm_head_node import SlurmHeadNodeArgs as SlurmHeadNodeArgs
    from hpc_components.azure.components.state_disk import StateDisk as StateDisk
    from hpc_components.azure.components.vault import NodeVault as NodeVault
    from hpc_components.azure.components.vault import NodeVaultArgs as NodeVaultArgs
    from hpc_components.azure.components.vpc import Vpc as Vpc
    from hpc_components.azure.components.vpc import VpcArgs as VpcArgs
    from hpc_components.azure.home.component import HomeFilesystem as HomeFilesystem
    from hpc_components.azure.home.component import HomeFilesystemArgs as HomeFilesystemArgs
    from hpc_components.azure.lustre.component import LustreEncryption as LustreEncryption
    from hpc_components.azure.lustre.component import LustreFilesystem as LustreFilesystem
    from hpc_components.azure.lustre.component import LustreFilesystemArgs as LustreFilesystemArgs
    from hpc_components.azure.lustre.link import LustreLink as LustreLink
    from hpc_components.azure.tags import Tags as Tags

__all__, __getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "cluster": "Cluster",
        "components.budget": "ClusterBudget ClusterBudgetArgs",
        "components.compute_fleet": "InfinibandComputeFleet InfinibandComputeFleetArgs",
        "components.config_bucket": "ConfigBucket ConfigBucketArgs",
        "components.data_bucket": "DataBucket DataBucketArgs",
        "components.data_identity": "DataIdentity DataIdentityArgs",
        "components.login_node_nlb": "LoginNodeNLB LoginNodeNLBArgs",
        "lustre.component": "LustreEncryption LustreFilesystem LustreFilesystemArgs",
        "lustre.link": "LustreLink",
        "components.machine_profile": "ImagePlan RootDisk",
        "components.node_identity": "NodeIdentity NodeIdentityArgs",
        "components.node_logs": "NodeLogs NodeLogsArgs",
        "components.node_reaper": "NodeReaper NodeReaperArgs",
        "components.placement_group": "PlacementGroup PlacementGroupArgs",
        "components.security_groups": "SecurityGroups SecurityGroupsArgs",
        "components.slurm_head_node": "SlurmHeadNode SlurmHeadNodeArgs",
        "components.state_disk": "StateDisk",
        "components.vault": "NodeVault NodeVaultArgs",
        "components.vpc": "Vpc VpcArgs",
        "home.component": "HomeFilesystem HomeFilesystemArgs",
        "tags": "Tags",
    },
)
