"""What the stand-in provider and the matchers of `hpc_components.testing` know of the toy cloud: see `StandIn`."""

import re
from collections.abc import Iterator, Mapping

from hpc_components.preview.recording import RecordedResource
from hpc_components.testing.facts import Ingress, StandIn, TypeFacts

__all__ = ["STAND_IN"]


class ToyStandIn(StandIn):
    """As far as tests ask."""

    default_region = "reef-1"
    environment = ("TOY",)
    secrets: Mapping[str, re.Pattern[str]] = {"a key of the toy cloud": re.compile(r"\btoykey-[0-9a-f]{8}\b")}
    tags_input = "labels"

    def types(self) -> Mapping[str, TypeFacts]:
        return {
            "gcp:compute/network:Network": TypeFacts(id="networks/{name}"),
            "gcp:compute/subnetwork:Subnetwork": TypeFacts(id="subnets/{name}", force_new=("ipCidrRange",)),
            "gcp:compute/instance:Instance": TypeFacts(id="machines/{name}", force_new=("zone", "bootDisk")),
            "gcp:compute/disk:Disk": TypeFacts(id="disks/{name}", force_new=("zone",), grow_only=("size",)),
            "gcp:storage/bucket:Bucket": TypeFacts(id="{name}", force_new=("location",)),
        }

    def ingress(self, resource: RecordedResource) -> Iterator[Ingress]:
        if resource.type == "gcp:compute/firewall:Firewall":
            for allowed in resource.inputs["allows"]:
                for ports in allowed.get("ports", ["0-65535"]):
                    low, _, high = ports.partition("-")
                    sources = tuple(resource.inputs["sourceRanges"])
                    yield Ingress(sources=sources, low=int(low), high=int(high or low))


STAND_IN = ToyStandIn()
