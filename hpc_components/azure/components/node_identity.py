"""Exports of `hpc_components.azure.identity.component`, under the name that `hpc_components.azure` uses."""

from hpc_components.azure.identity.component import NodeIdentity as NodeIdentity
from hpc_components.azure.identity.component import NodeIdentityArgs as NodeIdentityArgs
