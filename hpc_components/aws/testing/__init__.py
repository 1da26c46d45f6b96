"""AWS facts for the stand-in provider and for assertions in `hpc_components.testing`; see `StandIn`."""

import re
import string
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from hpc_components.aws.testing.functions import INVOCATION, run_function
from hpc_components.testing.facts import StandIn, TypeFacts, read_types
from hpc_components.testing.stand_in_cloud import StandInCloud

_ACCOUNT = "123456789012"
"""Account id used in AWS's documentation."""


class AwsStandIn(StandIn):
    """The AWS behaviour that the engine and the matchers depend on."""

    default_region = "us-east-1"
    environment = ("AWS_",)
    tags_output = "tagsAll"

    def types(self) -> Mapping[str, TypeFacts]:
        return _types()

    def field(self, name: str, region: str, inputs: Mapping[str, Any]) -> str | None:
        """Return a computed field. Zone names are derived from zone ids: in this account, use2-az2 is us-east-2b."""
        if name == "account":
            return _ACCOUNT
        if name == "zone":
            number = int(inputs.get("availabilityZoneId", "az1")[-1])
            return f"{region}{string.ascii_lowercase[number - 1]}"
        if name == "zone_id":
            letter = inputs.get("availabilityZone", "a")[-1]
            area, *_, number = region.split("-")
            side = "".join(word[0] for word in re.findall("north|south|east|west|central", region))
            return f"{area}{side}{number}-az{string.ascii_lowercase.index(letter) + 1}"
        return None

    def answers(self, region: str) -> Mapping[str, Mapping[str, Any]]:
        return {
            "aws:index/getCallerIdentity:getCallerIdentity": {
                "accountId": _ACCOUNT,
                "arn": f"arn:aws:iam::{_ACCOUNT}:user/test",
                "id": _ACCOUNT,
                "userId": "AIDATEST",
            },
            "aws:index/getPartition:getPartition": {
                "partition": "aws",
                "dnsSuffix": "amazonaws.com",
                "id": "aws",
                "reverseDnsPrefix": "com.amazonaws",
            },
            "aws:index/getRegion:getRegion": {"name": region, "region": region, "id": region},
        }

    def happens(
        self, cloud: StandInCloud, type_: str, id_: str, inputs: Mapping[str, Any], *, action: str
    ) -> str | None:
        return run_function(cloud, inputs, action=action) if type_ == INVOCATION else None


@cache
def _types() -> Mapping[str, TypeFacts]:
    return read_types(files(__name__).joinpath("data/types.json").read_text(encoding="utf-8"))


STAND_IN = AwsStandIn()
