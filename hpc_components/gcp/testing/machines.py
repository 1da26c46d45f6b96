from collections.abc import Mapping
from typing import Any
from uuid import uuid4

from hpc_components.testing.stand_in_cloud import StandInCloud, Thing

_MACHINE = "gcp:compute/instance:Instance"
_OBJECT = "gcp:storage/bucketObject:BucketObject"
_POLICY = "gcp:compute/resourcePolicy:ResourcePolicy"


def run_machine(
    cloud: StandInCloud, subnet: str, *, cluster: str, zone: str = "us-central1-a", policy: str = ""
) -> str:
    """Launch a compute node without Pulumi, and return the machine's id. `subnet` and `policy` are also ids."""
    id_ = f"projects/my-hpc-project/zones/{zone}/instances/{cluster}-{uuid4().hex[:8]}"
    inputs = {
        "labels": {"clustername": cluster, "hpc_role": "compute"},
        "networkInterfaces": [{"subnetwork": subnet}],
        "resourcePolicies": policy,
    }
    cloud.put(Thing(id=id_, type=_MACHINE, urn=None, inputs=inputs))
    return id_


def reap(cloud: StandInCloud, head: Mapping[str, Any]) -> None:
    """Delete the cluster's machines and placement policies, as a head node does when its cluster is destroyed.

    If the object `cluster` is missing from the config bucket, the cluster is being destroyed.
    """
    labels, metadata = head.get("labels", {}), head.get("metadata", {})
    if labels.get("hpc_role") != "head" or _should_exist(cloud, metadata.get("hpc-config")):
        return
    name = labels.get("clustername")
    for each in cloud.things(_MACHINE):
        own = each.inputs.get("labels", {})
        if each.urn is None and (own.get("clustername"), own.get("hpc_role")) == (name, "compute"):
            cloud.remove(each.type, each.id)
    for each in cloud.things(_POLICY):
        if each.urn is None and each.id.rpartition("/")[2].startswith(f"{name}-"):
            cloud.remove(each.type, each.id)


def _should_exist(cloud: StandInCloud, bucket: str | None) -> bool:
    return any(
        (each.inputs.get("bucket"), each.inputs.get("name")) == (bucket, "cluster") for each in cloud.things(_OBJECT)
    )
