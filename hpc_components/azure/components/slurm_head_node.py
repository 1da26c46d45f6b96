"""Exports of `hpc_components.azure.head.component`, under the name that `hpc_components.azure` uses."""

from hpc_components.azure.head.component import SlurmHeadNode as SlurmHeadNode
from hpc_components.azure.head.component import SlurmHeadNodeArgs as SlurmHeadNodeArgs
