"""Azure components, one a file, each usable alone with plain ids.

Importing one does not import the others.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hpc_components.azure.components.data_bucket import DataBucket, DataBucketArgs
    from hpc_components.azure.components.home_filesystem import HomeFilesystem, HomeFilesystemArgs
    from hpc_components.azure.components.lustre_filesystem import (
        LustreEncryption,
        LustreFilesystem,
        LustreFilesystemArgs,
    )
    from hpc_components.azure.components.lustre_link import LustreLink
    from hpc_components.azure.components.placement_group import PlacementGroup, PlacementGroupArgs
    from hpc_components.azure.components.security_groups import SecurityGroups, SecurityGroupsArgs
    from hpc_components.azure.components.vpc import Vpc, VpcArgs

__all__ = [
    "DataBucket",
    "DataBucketArgs",
    "HomeFilesystem",
    "HomeFilesystemArgs",
    "LustreEncryption",
    "LustreFilesystem",
    "LustreFilesystemArgs",
    "LustreLink",
    "PlacementGroup",
    "PlacementGroupArgs",
    "SecurityGroups",
    "SecurityGroupsArgs",
    "Vpc",
    "VpcArgs",
]

_MODULES = {
    "DataBucket": "data_bucket",
    "HomeFilesystem": "home_filesystem",
    "LustreEncryption": "lustre_filesystem",
    "LustreFilesystem": "lustre_filesystem",
    "LustreLink": "lustre_link",
    "PlacementGroup": "placement_group",
    "SecurityGroups": "security_groups",
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
