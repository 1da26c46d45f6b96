"""Exports of `hpc_components.azure.head.state_disk`, under the name that `hpc_components.azure` uses."""

from hpc_components.azure.head.state_disk import StateDisk as StateDisk
