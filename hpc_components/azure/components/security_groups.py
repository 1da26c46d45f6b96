"""Exports of `hpc_components.azure.network.security_groups`, under the name that `hpc_components.azure` uses."""

from hpc_components.azure.network.security_groups import SecurityGroups as SecurityGroups
from hpc_components.azure.network.security_groups import SecurityGroupsArgs as SecurityGroupsArgs
