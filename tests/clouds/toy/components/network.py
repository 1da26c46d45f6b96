"""A network with its subnet, and who may enter."""

from collections.abc import Sequence

import pulumi
import pulumi_gcp as gcp

from clouds.toy.ports import Subnet


class Network(pulumi.ComponentResource):
    """One subnet for the whole region."""

    subnet: Subnet
    """The subnet of all nodes."""

    def __init__(
        self,
        name: str,
        *,
        cidr: str,
        region: str,
        ssh_from: Sequence[str],
        nat: bool,
        opts: pulumi.ResourceOptions,
    ) -> None:
        super().__init__("hpc:toy:Network", name, {"cidr": cidr}, opts)
        child = pulumi.ResourceOptions(parent=self)
        network = gcp.compute.Network(f"{name}-network", auto_create_subnetworks=False, opts=child)
        subnet = gcp.compute.Subnetwork(
            f"{name}-subnet", ip_cidr_range=cidr, region=region, network=network.id, opts=child
        )
        if nat:
            router = gcp.compute.Router(f"{name}-router", region=region, network=network.id, opts=child)
            gcp.compute.RouterNat(
                f"{name}-spring",
                router=router.name,
                region=region,
                nat_ip_allocate_option="AUTO_ONLY",
                source_subnetwork_ip_ranges_to_nat="ALL_SUBNETWORKS_ALL_IP_RANGES",
                opts=child,
            )
        for what, sources in (("inside", [cidr]), ("ssh", ssh_from)):
            if sources:
                ports = ["22"] if what == "ssh" else ["0-65535"]
                gcp.compute.Firewall(
                    f"{name}-{what}",
                    network=network.id,
                    source_ranges=list(sources),
                    allows=[gcp.compute.FirewallAllowArgs(protocol="tcp", ports=ports)],
                    opts=child,
                )
        self.subnet = Subnet(id=subnet.id)
        self.register_outputs({})
