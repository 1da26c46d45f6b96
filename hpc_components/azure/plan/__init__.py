"""What a plan reads off Azure's resources: see `ModuleReader`, whose answers these are."""

from hpc_components.preview.module_reader import ModuleReader

__all__ = ["READER"]


class AzurePlanReader(ModuleReader):
    """Knows how the provider calls the region besides."""

    region_input = "location"


READER = AzurePlanReader(__name__)
