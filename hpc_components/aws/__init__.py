"""AWS components, and the tags that they all accept.

Each component takes plain ids and can be used without the others. Importing one doesn't import the rest.
"""

from typing import TYPE_CHECKING

from hpc_components.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from hpc_components.aws.audit.component import AuditTrail as AuditTrail
    from hpc_components.aws.audit.component import AuditTrailArgs as AuditTrailArgs
    from hpc_components.aws.buckets.component import DataBucket as DataBucket
    from hpc_components.aws.buckets.component import DataBucketArgs as DataBucketArgs
    from hpc_components.aws.buckets.component import ExpressDataBucket as ExpressDataBucket
    from hpc_components.aws.buckets.component import ExpressDataBucketArgs as ExpressDataBucketArgs
    from hpc_components.aws.budget.component import ClusterBudget as ClusterBudget
    from hpc_components.aws.budget.component import ClusterBudgetArgs as ClusterBudgetArgs
    from hpc_components.aws.cluster import Cluster as Cluster
    from hpc_components.aws.config_bucket.component import ConfigBucket as ConfigBucket
    from hpc_components.aws.config_bucket.component import ConfigBucketArgs as ConfigBucketArgs
    from hpc_components.aws.disks.component import RootDisk as RootDisk
    from hpc_components.aws.disks.component import StateDisk as StateDisk
    from hpc_components.aws.fleet.component import EfaComputeFleet as EfaComputeFleet
    from hpc_components.aws.fleet.component import EfaComputeFleetArgs as EfaComputeFleetArgs
    from hpc_components.aws.fleet.placement_group import PlacementGroup as PlacementGroup
    from hpc_components.aws.fleet.placement_group import PlacementGroupArgs as PlacementGroupArgs
    from hpc_components.aws.head.component import SlurmHeadNode as SlurmHeadNode
    from hpc_components.aws.head.component import SlurmHeadNodeArgs as SlurmHeadNodeArgs
    from hpc_components.aws.home.component import HomeFilesystem as HomeFilesystem
    from hpc_components.aws.home.component import HomeFilesystemArgs as HomeFilesystemArgs
    from hpc_components.aws.identity.component import NodeIdentity as NodeIdentity
    from hpc_components.aws.identity.component import NodeIdentityArgs as NodeIdentityArgs
    from hpc_components.aws.identity.data_identity import DataIdentity as DataIdentity
    from hpc_components.aws.identity.data_identity import DataIdentityArgs as DataIdentityArgs
    from hpc_components.aws.image_builder.component import BakedImage as BakedImage
    from hpc_components.aws.image_builder.component import BakedImageArgs as BakedImageArgs
    from hpc_components.aws.image_builder.component import ImageBuilder as ImageBuilder
    from hpc_components.aws.image_builder.component import ImageBuilderArgs as ImageBuilderArgs
    from hpc_components.aws.image_builder.retention import ImageRetention as ImageRetention
    from hpc_components.aws.image_builder.retention import ImageRetentionArgs as ImageRetentionArgs
    from hpc_components.aws.login.component import LoginNodeNLB as LoginNodeNLB
    from hpc_components.aws.login.component import LoginNodeNLBArgs as LoginNodeNLBArgs
    from hpc_components.aws.lustre.component import LustreFilesystem as LustreFilesystem
    from hpc_components.aws.lustre.component import LustreFilesystemArgs as LustreFilesystemArgs
    from hpc_components.aws.lustre_links.component import LustreAssociation as LustreAssociation
    from hpc_components.aws.metrics.component import MetricsWorkspace as MetricsWorkspace
    from hpc_components.aws.metrics.component import MetricsWorkspaceArgs as MetricsWorkspaceArgs
    from hpc_components.aws.network.component import Vpc as Vpc
    from hpc_components.aws.network.component import VpcArgs as VpcArgs
    from hpc_components.aws.node_reaper.component import NodeReaper as NodeReaper
    from hpc_components.aws.node_reaper.component import NodeReaperArgs as NodeReaperArgs
    from hpc_components.aws.organizations.component import Organization as Organization
    from hpc_components.aws.organizations.component import OrganizationArgs as OrganizationArgs
    from hpc_components.aws.security_groups.component import SecurityGroups as SecurityGroups
    from hpc_components.aws.security_groups.component import SecurityGroupsArgs as SecurityGroupsArgs
    from hpc_components.aws.session_manager.component import SessionManager as SessionManager
    from hpc_components.aws.session_manager.component import SessionManagerArgs as SessionManagerArgs
    from hpc_components.aws.tags import Tags as Tags

__all__, __getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "cluster": "Cluster",
        "audit.component": "AuditTrail AuditTrailArgs",
        "budget.component": "ClusterBudget ClusterBudgetArgs",
        "fleet.component": "EfaComputeFleet EfaComputeFleetArgs",
        "config_bucket.component": "ConfigBucket ConfigBucketArgs",
        "buckets.component": "DataBucket DataBucketArgs ExpressDataBucket ExpressDataBucketArgs",
        "identity.data_identity": "DataIdentity DataIdentityArgs",
        "image_builder.component": "BakedImage BakedImageArgs ImageBuilder ImageBuilderArgs",
        "image_builder.retention": "ImageRetention ImageRetentionArgs",
        "login.component": "LoginNodeNLB LoginNodeNLBArgs",
        "lustre.component": "LustreFilesystem LustreFilesystemArgs",
        "lustre_links.component": "LustreAssociation",
        "metrics.component": "MetricsWorkspace MetricsWorkspaceArgs",
        "identity.component": "NodeIdentity NodeIdentityArgs",
        "node_reaper.component": "NodeReaper NodeReaperArgs",
        "fleet.placement_group": "PlacementGroup PlacementGroupArgs",
        "organizations.component": "Organization OrganizationArgs",
        "security_groups.component": "SecurityGroups SecurityGroupsArgs",
        "session_manager.component": "SessionManager SessionManagerArgs",
        "head.component": "SlurmHeadNode SlurmHeadNodeArgs",
        "network.component": "Vpc VpcArgs",
        "disks.component": "RootDisk StateDisk",
        "home.component": "HomeFilesystem HomeFilesystemArgs",
        "tags": "Tags",
    },
)
