"""Exports of `hpc_components.azure.login.component`, under the name that `hpc_components.azure` uses."""

from hpc_components.azure.login.component import LoginNodeNLB as LoginNodeNLB
from hpc_components.azure.login.component import LoginNodeNLBArgs as LoginNodeNLBArgs
