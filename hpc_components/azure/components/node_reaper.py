"""Exports of `hpc_components.azure.reaper.component`, under the name that `hpc_components.azure` uses."""

from hpc_components.azure.reaper.component import NodeReaper as NodeReaper
from hpc_components.azure.reaper.component import NodeReaperArgs as NodeReaperArgs
