"""What a plan reads off Google Cloud's resources: see `ModuleReader`, whose answers these are."""

from hpc_components.preview.module_reader import ModuleReader

__all__ = ["READER"]

READER = ModuleReader(__name__)
