"""Azure components, and the tags that they all accept.

Each component can be used on its own, with plain ids. Importing one does not import the others.
"""

from typing import TYPE_CHECKING

from hpc_components.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from hpc_components.azure.buckets.component import DataBucket as DataBucket
    from hpc_components.azure.buckets.component import DataBucketArgs as DataBucketArgs
    from hpc_components.azure.budget.component import ClusterBudget as ClusterBudget
    from hpc_components.azure.budget.component import ClusterBudgetArgs as ClusterBudgetArgs
    from hpc_components.azure.cluster import Cluster as Cluster
    from hpc_components.azure.components.node_logs import NodeLogs as NodeLogs
    from hpc_components.azure.components.node_logs import NodeLogsArgs as NodeLogsArgs
    from hpc_components.azure.components.vault import NodeVault as NodeVault
    from hpc_components.azure.components.vault import NodeVaultArgs as NodeVaultArgs
    from hpc_components.azure.config_bucket.component import ConfigBucket as ConfigBucket
    from hpc_components.azure.config_bucket.component import ConfigBucketArgs as ConfigBucketArgs
    from hpc_components.azure.disks.component import RootDisk as RootDisk
    from hpc_components.azure.disks.component import StateDisk as StateDisk
    from hpc_components.azure.fleet.component import InfinibandComputeFleet as InfinibandComputeFleet
    from hpc_components.azure.fleet.component import InfinibandComputeFleetArgs as InfinibandComputeFleetArgs
    from hpc_components.azure.fleet.placement_group import PlacementGroup as PlacementGroup
    from hpc_components.azure.fleet.placement_group import PlacementGroupArgs as PlacementGroupArgs
    from hpc_components.azure.head.component import SlurmHeadNode as SlurmHeadNode
    from hpc_components.azure.head.component import SlurmHeadNodeArgs as SlurmHeadNodeArgs
    from hpc_components.azure.home.component import HomeFilesystem as HomeFilesystem
    from hpc_components.azure.home.component import HomeFilesystemArgs as HomeFilesystemArgs
    from hpc_components.azure.identity.component import NodeIdentity as NodeIdentity
    from hpc_components.azure.identity.component import NodeIdentityArgs as NodeIdentityArgs
    from hpc_components.azure.identity.data import DataIdentity as DataIdentity
    from hpc_components.azure.identity.data import DataIdentityArgs as DataIdentityArgs
    from hpc_components.azure.image_builder.component import BakedImage as BakedImage
    from hpc_components.azure.image_builder.component import BakedImageArgs as BakedImageArgs
    from hpc_components.azure.image_builder.component import ImageBuilder as ImageBuilder
    from hpc_components.azure.image_builder.component import ImageBuilderArgs as ImageBuilderArgs
    from hpc_components.azure.image_builder.retention import ImageRetention as ImageRetention
    from hpc_components.azure.image_builder.retention import ImageRetentionArgs as ImageRetentionArgs
    from hpc_components.azure.images.component import ImagePlan as ImagePlan
    from hpc_components.azure.login.component import LoginNodeNLB as LoginNodeNLB
    from hpc_components.azure.login.component import LoginNodeNLBArgs as LoginNodeNLBArgs
    from hpc_components.azure.lustre.component import LustreEncryption as LustreEncryption
    from hpc_components.azure.lustre.component import LustreFilesystem as LustreFilesystem
    from hpc_components.azure.lustre.component import LustreFilesystemArgs as LustreFilesystemArgs
    from hpc_components.azure.lustre.link import LustreLink as LustreLink
    from hpc_components.azure.metrics.component import MetricsWorkspace as MetricsWorkspace
    from hpc_components.azure.metrics.component import MetricsWorkspaceArgs as MetricsWorkspaceArgs
    from hpc_components.azure.network.component import Vpc as Vpc
    from hpc_components.azure.network.component import VpcArgs as VpcArgs
    from hpc_components.azure.network.security_groups import SecurityGroups as SecurityGroups
    from hpc_components.azure.network.security_groups import SecurityGroupsArgs as SecurityGroupsArgs
    from hpc_components.azure.node_reaper.component import NodeReaper as NodeReaper
    from hpc_components.azure.node_reaper.component import NodeReaperArgs as NodeReaperArgs
    from hpc_components.azure.tags import Tags as Tags

__all__, __getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "cluster": "Cluster",
        "budget.component": "ClusterBudget ClusterBudgetArgs",
        "fleet.component": "InfinibandComputeFleet InfinibandComputeFleetArgs",
        "config_bucket.component": "ConfigBucket ConfigBucketArgs",
        "buckets.component": "DataBucket DataBucketArgs",
        "identity.data": "DataIdentity DataIdentityArgs",
        "image_builder.component": "BakedImage BakedImageArgs ImageBuilder ImageBuilderArgs",
        "image_builder.retention": "ImageRetention ImageRetentionArgs",
        "login.component": "LoginNodeNLB LoginNodeNLBArgs",
        "lustre.component": "LustreEncryption LustreFilesystem LustreFilesystemArgs",
        "lustre.link": "LustreLink",
        "metrics.component": "MetricsWorkspace MetricsWorkspaceArgs",
        "images.component": "ImagePlan",
        "identity.component": "NodeIdentity NodeIdentityArgs",
        "components.node_logs": "NodeLogs NodeLogsArgs",
        "node_reaper.component": "NodeReaper NodeReaperArgs",
        "fleet.placement_group": "PlacementGroup PlacementGroupArgs",
        "network.security_groups": "SecurityGroups SecurityGroupsArgs",
        "head.component": "SlurmHeadNode SlurmHeadNodeArgs",
        "disks.component": "RootDisk StateDisk",
        "components.vault": "NodeVault NodeVaultArgs",
        "network.component": "Vpc VpcArgs",
        "home.component": "HomeFilesystem HomeFilesystemArgs",
        "tags": "Tags",
    },
)
