"""The machines of one queue: a template for each type, from which the head node launches them."""

from collections.abc import Sequence

import pulumi
import pulumi_gcp as gcp

from clouds.toy.ports import Subnet
from clouds.toy.tags import Tags


class ComputeFleet(pulumi.ComponentResource):
    """Makes no machine by itself."""

    def __init__(
        self,
        name: str,
        *,
        queue: str,
        machines: Sequence[str],
        zones: Sequence[str],
        least: int,
        most: int,
        purchase: str,
        fabric: bool,
        max_spot_price: float | None,
        config: pulumi.Input[str],
        subnet: Subnet,
        user_data: str,
        tags: Tags,
        opts: pulumi.ResourceOptions,
    ) -> None:
        facts = {"queue": queue, "machines": [*machines], "zones": [*zones], "min": least, "max": most}
        facts |= {"purchase": purchase, "fabric": fabric, "maxSpotPrice": max_spot_price}
        super().__init__("hpc:toy:ComputeFleet", name, facts, opts)
        compute = gcp.compute
        for machine in machines:
            compute.InstanceTemplate(
                f"{name}-{machine}",
                machine_type=machine,
                disks=[compute.InstanceTemplateDiskArgs(boot=True, source_image="toy-linux", disk_size_gb=64)],
                network_interfaces=[compute.InstanceTemplateNetworkInterfaceArgs(subnetwork=subnet.id)],
                scheduling=compute.InstanceTemplateSchedulingArgs(
                    preemptible=purchase == "spot", automatic_restart=False
                ),
                metadata_startup_script=user_data,
                labels=tags.for_resource(f"{name}-{machine}", role="compute", queue=queue, config=config),
                opts=pulumi.ResourceOptions(parent=self),
            )
        self.register_outputs({})
