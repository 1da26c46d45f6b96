"""A head node or a login node: a machine that stands."""

import pulumi
import pulumi_gcp as gcp

from clouds.toy.ports import Subnet
from clouds.toy.spec.nodes import ToyDisk
from clouds.toy.tags import Tags


class Node(pulumi.ComponentResource):
    """One machine, with a disk that outlives it if it has a state."""

    address: pulumi.Output[str]
    """Its private address."""

    def __init__(
        self,
        name: str,
        *,
        role: str,
        machine: str,
        zone: str,
        root: ToyDisk,
        state: ToyDisk | None = None,
        public: bool,
        address: str | None,
        config: pulumi.Input[str],
        subnet: Subnet,
        user_data: str,
        tags: Tags,
        opts: pulumi.ResourceOptions,
    ) -> None:
        super().__init__("hpc:toy:Node", name, {"role": role}, opts)
        child, compute = pulumi.ResourceOptions(parent=self), gcp.compute
        disks = []
        if state is not None:
            disk = compute.Disk(
                f"{name}-state",
                size=int(state.size.in_gib),
                type=state.type,
                zone=zone,
                labels=tags.for_resource(f"{name}-state"),
                opts=child,
            )
            disks = [compute.InstanceAttachedDiskArgs(source=disk.id)]
        first = compute.InstanceBootDiskInitializeParamsArgs(
            image="toy-linux", size=int(root.size.in_gib), type=root.type
        )
        card = compute.InstanceNetworkInterfaceArgs(
            subnetwork=subnet.id,
            network_ip=address,
            access_configs=[compute.InstanceNetworkInterfaceAccessConfigArgs()] if public else None,
        )
        made = compute.Instance(
            f"{name}-machine",
            machine_type=machine,
            zone=zone,
            boot_disk=compute.InstanceBootDiskArgs(initialize_params=first),
            attached_disks=disks,
            network_interfaces=[card],
            metadata_startup_script=user_data,
            labels=tags.for_resource(name, role=role, config=config),
            opts=child,
        )
        self.address = made.network_interfaces[0].network_ip
        self.register_outputs({})
