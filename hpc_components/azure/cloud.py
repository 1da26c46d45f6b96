"""The descriptor of Azure."""

from hpc_components.cloud import Cloud
from hpc_components.elastic.drivers.azure.limits import LIMITS

__all__ = ["CLOUD"]

CLOUD = Cloud(
    name="azure",
    title="Azure",
    package="hpc_components.azure",
    sdk="pulumi_azure_native",
    pulumi_package="azure-native",
    kept_addresses=(4, 1),  # Azure Virtual Network FAQ, "Are there any restrictions on using IP addresses"
    spot_notice_seconds=LIMITS.spot_notice_seconds,
    list_lag_seconds=LIMITS.list_lag_seconds,
    launch_size=LIMITS.launch_size,
    bucket_scheme="https",
)
