import pulumi
import pulumi_azure_native as azure_native

from hpc_components.azure.ports import Group
from hpc_components.azure.tags import Tags


def make_public_address(
    name: str, *, idle_minutes: int | None = None, group: Group, tags: Tags, opts: pulumi.ResourceOptions
) -> "azure_native.network.PublicIPAddress":
    """Create a static public IP address of the Standard SKU, which NAT gateways, Bastion and load balancers require.

    Azure drops connections that have been idle for `idle_minutes` minutes (default: 4).
    """
    network = azure_native.network
    return network.PublicIPAddress(
        name,
        resource_group_name=group.name,
        location=group.location,
        sku=network.PublicIPAddressSkuArgs(name=network.PublicIPAddressSkuName.STANDARD),
        public_ip_allocation_method=network.IPAllocationMethod.STATIC,
        public_ip_address_version=network.IPVersion.I_PV4,
        idle_timeout_in_minutes=idle_minutes,
        tags=tags.for_resource(name),
        opts=opts,
    )


def make_bastion(
    name: str,
    *,
    subnet: "azure_native.network.Subnet",
    group: Group,
    tags: Tags,
    opts: pulumi.ResourceOptions,
) -> "azure_native.network.BastionHost":
    """Create a Bastion host through which SSH clients can reach nodes by name or address (`az network bastion
    tunnel`).

    Tunnels and connections by IP address require the Standard tier. Source: Azure Bastion documentation, "Connect
    using a native client", "IP-based connection".
    """
    network, label = azure_native.network, f"{name}-bastion"
    address = make_public_address(f"{label}-address", group=group, tags=tags, opts=opts)
    return network.BastionHost(
        f"{label}-host",
        resource_group_name=group.name,
        location=group.location,
        sku=network.SkuArgs(name=network.BastionHostSkuName.STANDARD),
        enable_tunneling=True,
        enable_ip_connect=True,
        ip_configurations=[
            network.BastionHostIPConfigurationArgs(
                name="bastion",
                subnet=network.SubResourceArgs(id=subnet.id),
                public_ip_address=network.SubResourceArgs(id=address.id),
            )
        ],
        tags=tags.for_resource(f"{label}-host"),
        opts=opts,
    )
