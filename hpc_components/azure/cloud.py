"""The descriptor of Azure."""

from hpc_components.cloud import PricedCloud

__all__ = ["CLOUD"]

CLOUD = PricedCloud(
    name="azure",
    title="Azure",
    package="hpc_components.azure",
    sdk="pulumi_azure_native",
    pulumi_package="azure-native",
)
