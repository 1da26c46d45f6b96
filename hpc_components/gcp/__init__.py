"""Google Cloud components, one per file, and the tags that they all accept.

Each component can be used on its own, with plain ids. Importing one does not import the others.
"""

from typing import TYPE_CHECKING

from hpc_components.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from hpc_components.gcp.apis.component import ProjectServices as ProjectServices
    from hpc_components.gcp.apis.component import ProjectServicesArgs as ProjectServicesArgs
    from hpc_components.gcp.audit.component import AuditTrail as AuditTrail
    from hpc_components.gcp.audit.component import AuditTrailArgs as AuditTrailArgs
    from hpc_components.gcp.budget.component import ClusterBudget as ClusterBudget
    from hpc_components.gcp.budget.component import ClusterBudgetArgs as ClusterBudgetArgs
    from hpc_components.gcp.cluster import Cluster as Cluster
    from hpc_components.gcp.config_bucket.component import ConfigBucket as ConfigBucket
    from hpc_components.gcp.config_bucket.component import ConfigBucketArgs as ConfigBucketArgs
    from hpc_components.gcp.data_bucket.component import DataBucket as DataBucket
    from hpc_components.gcp.data_bucket.component import DataBucketArgs as DataBucketArgs
    from hpc_components.gcp.disks.component import RootDisk as RootDisk
    from hpc_components.gcp.disks.component import StateDisk as StateDisk
    from hpc_components.gcp.firewall.component import FirewallRules as FirewallRules
    from hpc_components.gcp.firewall.component import FirewallRulesArgs as FirewallRulesArgs
    from hpc_components.gcp.fleet.component import CompactComputeFleet as CompactComputeFleet
    from hpc_components.gcp.fleet.component import CompactComputeFleetArgs as CompactComputeFleetArgs
    from hpc_components.gcp.fleet.node_metadata import Login as Login
    from hpc_components.gcp.head.component import SlurmHeadNode as SlurmHeadNode
    from hpc_components.gcp.head.component import SlurmHeadNodeArgs as SlurmHeadNodeArgs
    from hpc_components.gcp.home.component import HomeFilesystem as HomeFilesystem
    from hpc_components.gcp.home.component import HomeFilesystemArgs as HomeFilesystemArgs
    from hpc_components.gcp.identity.component import NodeIdentity as NodeIdentity
    from hpc_components.gcp.identity.component import NodeIdentityArgs as NodeIdentityArgs
    from hpc_components.gcp.identity.data_identity import DataIdentity as DataIdentity
    from hpc_components.gcp.identity.data_identity import DataIdentityArgs as DataIdentityArgs
    from hpc_components.gcp.image_builder.component import BakedImage as BakedImage
    from hpc_components.gcp.image_builder.component import BakedImageArgs as BakedImageArgs
    from hpc_components.gcp.image_builder.component import ImageBuilder as ImageBuilder
    from hpc_components.gcp.image_builder.component import ImageBuilderArgs as ImageBuilderArgs
    from hpc_components.gcp.login.component import LoginNodeNLB as LoginNodeNLB
    from hpc_components.gcp.login.component import LoginNodeNLBArgs as LoginNodeNLBArgs
    from hpc_components.gcp.lustre.component import LustreFilesystem as LustreFilesystem
    from hpc_components.gcp.lustre.component import LustreFilesystemArgs as LustreFilesystemArgs
    from hpc_components.gcp.network.component import Vpc as Vpc
    from hpc_components.gcp.network.component import VpcArgs as VpcArgs
    from hpc_components.gcp.network_cards.card_networks import NetworkCards as NetworkCards
    from hpc_components.gcp.node_logs.component import NodeLogs as NodeLogs
    from hpc_components.gcp.node_logs.component import NodeLogsArgs as NodeLogsArgs
    from hpc_components.gcp.node_reaper.component import NodeReaper as NodeReaper
    from hpc_components.gcp.node_reaper.component import NodeReaperArgs as NodeReaperArgs
    from hpc_components.gcp.placement.component import PlacementGroup as PlacementGroup
    from hpc_components.gcp.placement.component import PlacementGroupArgs as PlacementGroupArgs
    from hpc_components.gcp.secrets.component import NodeSecrets as NodeSecrets
    from hpc_components.gcp.secrets.component import NodeSecretsArgs as NodeSecretsArgs
    from hpc_components.gcp.tags import Tags as Tags

__all__, __getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "cluster": "Cluster",
        "apis.component": "ProjectServices ProjectServicesArgs",
        "budget.component": "ClusterBudget ClusterBudgetArgs",
        "network_cards.card_networks": "NetworkCards",
        "fleet.component": "CompactComputeFleet CompactComputeFleetArgs",
        "config_bucket.component": "ConfigBucket ConfigBucketArgs",
        "data_bucket.component": "DataBucket DataBucketArgs",
        "identity.data_identity": "DataIdentity DataIdentityArgs",
        "firewall.component": "FirewallRules FirewallRulesArgs",
        "image_builder.component": "BakedImage BakedImageArgs ImageBuilder ImageBuilderArgs",
        "login.component": "LoginNodeNLB LoginNodeNLBArgs",
        "lustre.component": "LustreFilesystem LustreFilesystemArgs",
        "identity.component": "NodeIdentity NodeIdentityArgs",
        "audit.component": "AuditTrail AuditTrailArgs",
        "node_logs.component": "NodeLogs NodeLogsArgs",
        "fleet.node_metadata": "Login",
        "node_reaper.component": "NodeReaper NodeReaperArgs",
        "placement.component": "PlacementGroup PlacementGroupArgs",
        "secrets.component": "NodeSecrets NodeSecretsArgs",
        "head.component": "SlurmHeadNode SlurmHeadNodeArgs",
        "network.component": "Vpc VpcArgs",
        "disks.component": "RootDisk StateDisk",
        "home.component": "HomeFilesystem HomeFilesystemArgs",
        "tags": "Tags",
    },
)
