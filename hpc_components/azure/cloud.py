"""The descriptor of Azure."""

from hpc_components.cloud import Cloud, ExampleMachines, Words
from hpc_components.elastic.drivers.azure.limits import LIMITS

__all__ = ["CLOUD"]

CLOUD = Cloud(
    name="azure",
    title="Azure",
    package="hpc_components.azure",
    sdk="pulumi_azure_native",
    pulumi_package="azure-native",
    words=Words(
        compute="Azure",
        fabric="InfiniBand",
        placement="single placement group",
        network="virtual network",
        # Azure documentation, "Public IP addresses": by them, internet resources reach Azure resources
        internet="public IP addresses",
        quotas="Quotas in the Azure portal",
        reservations="`az capacity reservation group list`",
        shell="Azure Bastion",
        image_id="publisher:offer:sku:version",
        subnet_id="/subscriptions/...",
        machines=ExampleMachines(
            queue="Standard_D96as_v5",
            fabric="Standard_HB176rs_v4",
            head="Standard_D4s_v5",
            login="Standard_D2s_v5",
            least="Standard_D2s_v5 (8 GiB)",
        ),
    ),
    zonal_subnets=False,
    widest_subnet=8,  # of a range like 10.0.0.0/8; Azure Virtual Network FAQ names a smallest one only
    narrowest_subnet=29,  # Azure Virtual Network FAQ, "How small and how large can virtual networks and subnets be"
    kept_addresses=(4, 1),  # Azure Virtual Network FAQ, "Are there any restrictions on using IP addresses"
    spot_notice_seconds=LIMITS.spot_notice_seconds,
    list_lag_seconds=LIMITS.list_lag_seconds,
    launch_size=LIMITS.launch_size,
    bucket_scheme="https",
    names_by_region=False,  # a resource group, which is called like its cluster, is there once in a subscription
)
