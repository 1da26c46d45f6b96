"""Exports of `hpc_components.azure.lustre.link`, under the name that `hpc_components.azure` uses."""

from hpc_components.azure.lustre.link import LustreLink as LustreLink
