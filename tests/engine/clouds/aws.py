"""AWS, in the real engine."""

from hpc_components.aws.testing.instances import run_instance
from hpc_components.testing.engine import Engine, StackState, StateResource
from hpc_components.testing.provider import Thing

BUCKET = "aws:s3/bucket:Bucket"
OBJECT = "aws:s3/bucketObjectv2:BucketObjectv2"


class AwsLife:
    file = OBJECT
    file_is_replaced = False

    def run_elastic(self, engine: Engine, state: StackState, cluster: str) -> None:
        """One in every subnet and placement group, with every security group."""
        groups = tuple(each.id for each in state.of("aws:ec2/securityGroup:SecurityGroup"))
        placements = [each.id for each in state.of("aws:ec2/placementGroup:PlacementGroup")] or [""]
        for subnet in state.of("aws:ec2/subnet:Subnet"):
            for placement in placements:
                run_instance(
                    engine.cloud,
                    subnet.id,
                    security_groups=groups,
                    placementGroup=placement,
                    tags={"ClusterName": cluster, "hpc:role": "compute"},
                )

    def run_others(self, engine: Engine, cluster: str) -> set[str]:
        stranger = run_instance(engine.cloud, "subnet-of-another-cluster", tags={"ClusterName": "another"})
        namesake = {"ClusterName": cluster, "hpc:config": "bucket-of-another-stack"}
        return {stranger, run_instance(engine.cloud, "subnet-of-another-cluster", tags=namesake)}

    def write_logs(self, engine: Engine, state: StackState) -> dict[str, StateResource]:
        written = {f"{bucket.id}/log": bucket for bucket in state.of(BUCKET)}
        for id_, bucket in written.items():
            engine.cloud.put(Thing(id=id_, type=OBJECT, urn=None, inputs={"bucket": bucket.id}))
        return written

    def goes_along(self, resource: StateResource, state: StackState) -> bool:
        return False  # what AWS deletes together, Pulumi retains together


LIFE = AwsLife()
