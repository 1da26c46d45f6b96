from typing import Any
from uuid import uuid4

from hpc_components.testing.stand_in_cloud import StandInCloud, Thing

_INSTANCE = "aws:ec2/instance:Instance"


def run_instance(cloud: StandInCloud, subnet: str, *, security_groups: tuple[str, ...] = (), **inputs: Any) -> str:
    """Launch an instance outside the stack, and return its id.

    `inputs` are additional inputs of the instance resource, such as `tags` or `placementGroup`.
    """
    id_ = f"i-{uuid4().hex[:17]}"
    made = {"subnetId": subnet, "vpcSecurityGroupIds": list(security_groups), **inputs}
    cloud.put(Thing(id=id_, type=_INSTANCE, urn=None, inputs=made))
    return id_


def elastic_instances(cloud: StandInCloud) -> list[Thing]:
    """Return the instances outside the stack."""
    return [thing for thing in cloud.things(_INSTANCE) if thing.urn is None]
