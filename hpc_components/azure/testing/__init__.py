"""Azure's facts for the stand-in provider and the assertions of `hpc_components.testing`: see `StandIn`."""

from hpc_components.testing.facts import StandIn

__all__ = ["STAND_IN"]


class AzureStandIn(StandIn):
    """Azure, as far as the engine's decisions and the matchers depend on it."""

    default_region = "eastus"
    environment = ("ARM_", "AZURE_")


STAND_IN = AzureStandIn()
