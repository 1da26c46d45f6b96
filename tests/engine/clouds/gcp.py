"""Google Cloud, in the real engine."""

from hpc_components.gcp.testing.machines import run_machine
from hpc_components.testing.engine import Engine, StackState, StateResource
from hpc_components.testing.provider import Thing

BUCKET = "gcp:storage/bucket:Bucket"
OBJECT = "gcp:storage/bucketObject:BucketObject"
POLICY = "gcp:compute/resourcePolicy:ResourcePolicy"
SUBNET = "gcp:compute/subnetwork:Subnetwork"


class GcpLife:
    file = OBJECT
    file_is_replaced = True  # ForceNew of `source` in resource_storage_bucket_object.go of the provider

    def run_elastic(self, engine: Engine, state: StackState, cluster: str) -> None:
        """One in every subnet, in a placement policy of the daemon's."""
        policy = f"projects/my-hpc-project/regions/us-central1/resourcePolicies/{cluster}-queue-a-0"
        engine.cloud.put(Thing(id=policy, type=POLICY, urn=None))
        for subnet in state.of(SUBNET):
            run_machine(engine.cloud, subnet.id, cluster=cluster, policy=policy)

    def run_others(self, engine: Engine, cluster: str) -> set[str]:
        return {
            run_machine(engine.cloud, "subnet-of-another-cluster", cluster=name)
            for name in ("another", f"{cluster}-too")
        }

    def write_logs(self, engine: Engine, state: StackState) -> dict[str, StateResource]:
        written = {f"{bucket.id}-log": bucket for bucket in state.of(BUCKET)}
        for id_, bucket in written.items():
            engine.cloud.put(Thing(id=id_, type=OBJECT, urn=None, inputs={"bucket": bucket.id}))
        return written

    def goes_along(self, resource: StateResource, state: StackState) -> bool:
        return False  # what Google deletes together, Pulumi retains together


LIFE = GcpLife()
