"""Exports of `hpc_components.azure.identity.data`, under the name that `hpc_components.azure` uses."""

from hpc_components.azure.identity.data import DataIdentity as DataIdentity
from hpc_components.azure.identity.data import DataIdentityArgs as DataIdentityArgs
