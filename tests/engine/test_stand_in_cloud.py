from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from hpc_components.aws.testing.functions import FUNCTION, run_function
from hpc_components.aws.testing.instances import elastic_instances, run_instance
from hpc_components.testing._deletion import delete, refusal
from hpc_components.testing.provider import JournalEntry, StandInCloud, Thing

SUBNET = "aws:ec2/subnet:Subnet"


@pytest.fixture
def cloud(tmp_path: Path) -> StandInCloud:
    return StandInCloud(tmp_path / "cloud")


def test_a_new_cloud_is_empty(cloud: StandInCloud) -> None:
    assert cloud.things() == []
    assert cloud.journal() == []
    assert cloud.take_fault(SUBNET, "Create") is None
    cloud.remove(SUBNET, "subnet-1")


def test_a_fault_hits_one_caller_of_many(cloud: StandInCloud) -> None:
    cloud.fail_once(SUBNET, message="full")
    with ThreadPoolExecutor(8) as pool:
        hits = list(pool.map(lambda _: cloud.take_fault(SUBNET, "Create"), range(32)))
    assert sorted(hit for hit in hits if hit) == ["full"]


def test_the_journal_keeps_every_line_of_many_writers(cloud: StandInCloud) -> None:
    def write(number: int) -> None:
        cloud.write_down(
            JournalEntry(method="Create", urn=f"u{number}", type=SUBNET, id="", inputs={"x": "y" * 9000})
        )

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write, range(64)))
    assert {entry.urn for entry in cloud.journal()} == {f"u{number}" for number in range(64)}


def test_what_is_in_use_is_not_deleted(cloud: StandInCloud) -> None:
    id_ = run_instance(cloud, "subnet-1", security_groups=("sg-1",), placementGroup="pg")
    held = [("subnet-1", SUBNET), ("sg-1", "aws:ec2/securityGroup:SecurityGroup")]
    held += [("pg", "aws:ec2/placementGroup:PlacementGroup")]
    for held_id, type_ in held:
        assert id_ in str(refusal(cloud, type_, held_id, {}))
        assert refusal(cloud, type_, f"{held_id}-other", {}) is None
    assert refusal(cloud, "aws:sns/topic:Topic", "subnet-1", {}) is None


def test_a_function_without_its_permissions_terminates_nothing(cloud: StandInCloud) -> None:
    inputs = {"functionName": "reaper", "input": '{"cluster": "cfd"}', "lifecycleScope": "CRUD"}
    run_instance(cloud, "subnet-1", tags={"ClusterName": "cfd"})
    assert "Function not found" in str(run_function(cloud, inputs, action="delete"))

    role = "arn:aws:iam::123456789012:role/reaper"
    cloud.put(Thing(id="reaper", type=FUNCTION, urn="u", inputs={"role": role}))
    assert "lost its permissions" in str(run_function(cloud, inputs, action="delete"))
    cloud.put(Thing(id="reaper", type="aws:iam/role:Role", urn="u"))
    assert "lost its permissions" in str(run_function(cloud, inputs, action="delete"))
    assert len(elastic_instances(cloud)) == 1

    cloud.put(Thing(id="p", type="aws:iam/rolePolicy:RolePolicy", urn="u", inputs={"role": "reaper"}))
    assert run_function(cloud, inputs, action="create") is None
    assert len(elastic_instances(cloud)) == 1
    assert run_function(cloud, {**inputs, "lifecycleScope": "CREATE_ONLY"}, action="delete") is None
    assert len(elastic_instances(cloud)) == 1
    assert run_function(cloud, inputs, action="delete") is None
    assert elastic_instances(cloud) == []


def test_a_function_terminates_nothing_of_another_cluster_of_the_same_name(cloud: StandInCloud) -> None:
    cloud.put(Thing(id="reaper", type=FUNCTION, urn="u", inputs={"role": "arn:aws:iam::123456789012:role/reaper"}))
    cloud.put(Thing(id="reaper", type="aws:iam/role:Role", urn="u"))
    cloud.put(Thing(id="p", type="aws:iam/rolePolicy:RolePolicy", urn="u", inputs={"role": "reaper"}))
    run_instance(cloud, "subnet-1", tags={"ClusterName": "cfd", "hpc:config": "cfd-config"})
    twin = run_instance(cloud, "subnet-2", tags={"ClusterName": "cfd", "hpc:config": "twin-config"})
    told = '{"cluster": "cfd", "config": "cfd-config"}'
    inputs = {"functionName": "reaper", "input": told, "lifecycleScope": "CRUD"}
    assert run_function(cloud, inputs, action="delete") is None
    assert [each.id for each in elastic_instances(cloud)] == [twin]


def test_a_bucket_is_deleted_with_its_objects_only_if_that_was_asked_for(cloud: StandInCloud) -> None:
    bucket, object_ = "aws:s3/bucket:Bucket", "aws:s3/bucketObjectv2:BucketObjectv2"
    for name in ("mine", "other"):
        cloud.put(Thing(id=f"{name}/key", type=object_, urn=None, inputs={"bucket": name}))
    assert "BucketNotEmpty" in str(refusal(cloud, bucket, "mine", {}))
    assert refusal(cloud, bucket, "mine", {"forceDestroy": True}) is None
    delete(cloud, bucket, "mine")
    assert [thing.id for thing in cloud.things()] == ["other/key"]
