"""AWS components, one a file, each usable alone with plain ids; and the tags that all of them take.

Importing one does not import the others.
"""

from typing import TYPE_CHECKING

from hpc_components.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from hpc_components.aws.buckets.component import DataBucket as DataBucket
    from hpc_components.aws.buckets.component import DataBucketArgs as DataBucketArgs
    from hpc_components.aws.buckets.component import ExpressDataBucket as ExpressDataBucket
    from hpc_components.aws.buckets.component import ExpressDataBucketArgs as ExpressDataBucketArgs
    from hpc_components.aws.cluster import Cluster as Cluster
    from hpc_components.aws.components.budget import ClusterBudget as ClusterBudget
    from hpc_components.aws.components.budget import ClusterBudgetArgs as ClusterBudgetArgs
    from hpc_components.aws.components.compute_fleet import EfaComputeFleet as EfaComputeFleet
    from hpc_components.aws.components.compute_fleet import EfaComputeFleetArgs as EfaComputeFleetArgs
    from hpc_components.aws.components.data_identity import DataIdentity as DataIdentity
    from hpc_components.aws.components.data_identity import DataIdentityArgs as DataIdentityArgs
    from hpc_components.aws.components.launch_template import RootDisk as RootDisk
    from hpc_components.aws.components.login_node_nlb import LoginNodeNLB as LoginNodeNLB
    from hpc_components.aws.components.login_node_nlb import LoginNodeNLBArgs as LoginNodeNLBArgs
    from hpc_components.aws.components.node_identity import NodeIdentity as NodeIdentity
    from hpc_components.aws.components.node_identity import NodeIdentityArgs as NodeIdentityArgs
    from hpc_components.aws.components.node_reaper import NodeReaper as NodeReaper
    from hpc_components.aws.components.node_reaper import NodeReaperArgs as NodeReaperArgs
    from hpc_components.aws.components.placement_group import PlacementGroup as PlacementGroup
    from hpc_components.aws.components.placement_group import PlacementGroupArgs as PlacementGroupArgs
    from hpc_components.aws.components.security_groups import SecurityGroups as SecurityGroups
    from hpc_components.aws.components.security_groups import SecurityGroupsArgs as SecurityGroupsArgs
    from hpc_components.aws.components.slurm_head_node import SlurmHeadNode as SlurmHeadNode
    from hpc_components.aws.components.slurm_head_node import SlurmHeadNodeArgs as SlurmHeadNodeArgs
    from hpc_components.aws.components.slurm_head_node import StateDisk as StateDisk
    from hpc_components.aws.components.vpc import Vpc as Vpc
    from hpc_components.aws.components.vpc import VpcArgs as VpcArgs
    from hpc_components.aws.config_bucket.component import ConfigBucket as ConfigBucket
    from hpc_components.aws.config_bucket.component import ConfigBucketArgs as ConfigBucketArgs
    from hpc_components.aws.home.component import HomeFilesystem as HomeFilesystem
    from hpc_components.aws.home.component import HomeFilesystemArgs as HomeFilesystemArgs
    from hpc_components.aws.lustre.component import LustreFilesystem as LustreFilesystem
    from hpc_components.aws.lustre.component import LustreFilesystemArgs as LustreFilesystemArgs
    from hpc_components.aws.lustre_links.component import LustreAssociation as LustreAssociation
    from hpc_components.aws.tags import Tags as Tags

__all__, __getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "cluster": "Cluster",
        "components.budget": "ClusterBudget ClusterBudgetArgs",
        "components.compute_fleet": "EfaComputeFleet EfaComputeFleetArgs",
        "config_bucket.component": "ConfigBucket ConfigBucketArgs",
        "buckets.component": "DataBucket DataBucketArgs ExpressDataBucket ExpressDataBucketArgs",
        "components.data_identity": "DataIdentity DataIdentityArgs",
        "components.launch_template": "RootDisk",
        "components.login_node_nlb": "LoginNodeNLB LoginNodeNLBArgs",
        "lustre.component": "LustreFilesystem LustreFilesystemArgs",
        "lustre_links.component": "LustreAssociation",
        "components.node_identity": "NodeIdentity NodeIdentityArgs",
        "components.node_reaper": "NodeReaper NodeReaperArgs",
        "components.placement_group": "PlacementGroup PlacementGroupArgs",
        "components.security_groups": "SecurityGroups SecurityGroupsArgs",
        "components.slurm_head_node": "SlurmHeadNode SlurmHeadNodeArgs StateDisk",
        "components.vpc": "Vpc VpcArgs",
        "home.component": "HomeFilesystem HomeFilesystemArgs",
        "tags": "Tags",
    },
)
