"""Exports of `hpc_components.azure.lustre.component`, under the name that `hpc_components.azure` uses."""

from hpc_components.azure.lustre.component import LustreEncryption as LustreEncryption
from hpc_components.azure.lustre.component import LustreFilesystem as LustreFilesystem
from hpc_components.azure.lustre.component import LustreFilesystemArgs as LustreFilesystemArgs
