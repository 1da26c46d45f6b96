"""What the stand-in provider and the matchers of `hpc_components.testing` know of the toy cloud: see `StandIn`."""

from collections.abc import Mapping

from hpc_components.testing.facts import StandIn, TypeFacts


class ToyStandIn(StandIn):
    """As far as tests ask."""

    default_region = "reef-1"
    environment = ("TOY",)
    tags_input = "labels"

    def types(self) -> Mapping[str, TypeFacts]:
        return {
            "gcp:compute/network:Network": TypeFacts(id="networks/{name}"),
            "gcp:compute/subnetwork:Subnetwork": TypeFacts(id="subnets/{name}", force_new=("ipCidrRange",)),
            "gcp:compute/instance:Instance": TypeFacts(id="machines/{name}", force_new=("zone", "bootDisk")),
            "gcp:compute/disk:Disk": TypeFacts(id="disks/{name}", force_new=("zone",), grow_only=("size",)),
            "gcp:storage/bucket:Bucket": TypeFacts(id="{name}", force_new=("location",)),
        }


STAND_IN = ToyStandIn()
