"""Exports of `hpc_components.azure.network.component`, under the name that `hpc_components.azure` uses."""

from hpc_components.azure.network.component import Vpc as Vpc
from hpc_components.azure.network.component import VpcArgs as VpcArgs
