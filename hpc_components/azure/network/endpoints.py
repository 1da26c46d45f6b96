"""Private DNS zones and private endpoints, which give Azure services addresses inside the network."""

from collections.abc import Iterable, Mapping, Sequence

import pulumi
import pulumi_azure_native as azure_native
from pulumi import Input

from hpc_components.azure.catalog.networks import private_dns_zone
from hpc_components.azure.components.short_names import short_name
from hpc_components.azure.network.model import Service
from hpc_components.azure.ports import Group, Network
from hpc_components.azure.tags import Tags


def make_private_zones(
    name: str,
    services: Iterable[Service],
    *,
    group: Group,
    network_id: Input[str],
    tags: Tags,
    opts: pulumi.ResourceOptions,
) -> dict[Service, pulumi.Output[str]]:
    """Create a private DNS zone for each service, so that the service's names resolve to private endpoints. Return
    the zone ids, keyed by service.
    """
    zones = {}
    for service in services:
        label = f"{name}-{service}"
        zone = azure_native.privatedns.PrivateZone(
            f"{label}-zone",
            resource_group_name=group.name,
            private_zone_name=private_dns_zone(service),
            location="global",  # DNS zones have no region
            tags=tags.for_resource(f"{label}-zone"),
            opts=opts,
        )
        azure_native.privatedns.VirtualNetworkLink(
            f"{label}-link",
            resource_group_name=group.name,
            private_zone_name=zone.name,
            location="global",
            registration_enabled=False,
            virtual_network=azure_native.privatedns.SubResourceArgs(id=network_id),
            tags=tags.for_resource(f"{label}-link"),
            opts=opts,
        )
        zones[service] = zone.id
    return zones


class PrivateZones(pulumi.ComponentResource):
    """Private DNS zones linked to the user's existing network."""

    ids: Mapping[Service, pulumi.Output[str]]

    def __init__(
        self,
        name: str,
        services: Sequence[Service],
        *,
        group: Group,
        network_id: Input[str],
        tags: Tags,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        super().__init__("hpc:azure:PrivateZones", name, {"services": list(services)}, opts)
        child = pulumi.ResourceOptions(parent=self)
        self.ids = make_private_zones(name, services, group=group, network_id=network_id, tags=tags, opts=child)
        self.register_outputs(dict(self.ids))


def make_private_endpoint(
    name: str,
    service: Service,
    *,
    target: Input[str],
    group: Group,
    network: Network,
    tags: Tags,
    opts: pulumi.ResourceOptions,
) -> None:
    """Create a private endpoint in the `endpoints` subnet. `target` is the id of the storage account or vault that
    the endpoint leads to.

    Do nothing if the network has no DNS zone for the service. In that case, clients use the service's public address.
    """
    if service not in network.private_zones:
        return
    label = short_name(name, f"{service}-endpoint")
    endpoint = azure_native.network.PrivateEndpoint(
        label,
        resource_group_name=group.name,
        location=group.location,
        subnet=azure_native.network.SubnetArgs(id=network.subnets["endpoints"]),
        private_link_service_connections=[
            azure_native.network.PrivateLinkServiceConnectionArgs(
                name=service, group_ids=[service], private_link_service_id=target
            )
        ],
        tags=tags.for_resource(label),
        opts=opts,
    )
    zone = azure_native.network.PrivateDnsZoneConfigArgs(
        name=service, private_dns_zone_id=network.private_zones[service]
    )
    azure_native.network.PrivateDnsZoneGroup(
        f"{label}-name",
        resource_group_name=group.name,
        private_endpoint_name=endpoint.name,
        private_dns_zone_group_name="default",
        private_dns_zone_configs=[zone],
        opts=opts,
    )
