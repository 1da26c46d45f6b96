"""Google Cloud components, one a file, each usable alone with plain ids.

Importing one does not import the others.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hpc_components.gcp.components.apis import ProjectServices, ProjectServicesArgs
    from hpc_components.gcp.components.budget import ClusterBudget, ClusterBudgetArgs
    from hpc_components.gcp.components.card_networks import NetworkCards
    from hpc_components.gcp.components.config_bucket import ConfigBucket, ConfigBucketArgs
    from hpc_components.gcp.components.data_bucket import DataBucket, DataBucketArgs
    from hpc_components.gcp.components.data_identity import DataIdentity, DataIdentityArgs
    from hpc_components.gcp.components.firewall import FirewallRules, FirewallRulesArgs
    from hpc_components.gcp.components.home_filesystem import HomeFilesystem, HomeFilesystemArgs
    from hpc_components.gcp.components.lustre_filesystem import LustreFilesystem, LustreFilesystemArgs
    from hpc_components.gcp.components.node_identity import NodeIdentity, NodeIdentityArgs
    from hpc_components.gcp.components.node_logs import NodeLogs, NodeLogsArgs
    from hpc_components.gcp.components.secrets import NodeSecrets, NodeSecretsArgs
    from hpc_components.gcp.components.vpc import Vpc, VpcArgs

__all__ = [
    "ClusterBudget",
    "ClusterBudgetArgs",
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
    "LustreFilesystem",
    "LustreFilesystemArgs",
    "NetworkCards",
    "NodeIdentity",
    "NodeIdentityArgs",
    "NodeLogs",
    "NodeLogsArgs",
    "NodeSecrets",
    "NodeSecretsArgs",
    "ProjectServices",
    "ProjectServicesArgs",
    "Vpc",
    "VpcArgs",
]

_MODULES = {
    "ClusterBudget": "budget",
    "ConfigBucket": "config_bucket",
    "DataBucket": "data_bucket",
    "DataIdentity": "data_identity",
    "FirewallRules": "firewall",
    "HomeFilesystem": "home_filesystem",
    "LustreFilesystem": "lustre_filesystem",
    "NetworkCards": "card_networks",
    "NodeIdentity": "node_identity",
    "NodeLogs": "node_logs",
    "NodeSecrets": "secrets",
    "ProjectServices": "apis",
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
