"""Exports of `hpc_components.azure.machines.profile`, under the name that `hpc_components.azure` uses."""

from hpc_components.azure.machines.profile import ImagePlan as ImagePlan
from hpc_components.azure.machines.profile import RootDisk as RootDisk
