"""The function that removes images, on emulated EC2."""

from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from hypothesis import given
from hypothesis import strategies as st
from moto import mock_aws

from hpc_components.aws.image_builder.handler import Image, handler, removable

images = st.lists(
    st.builds(
        Image,
        id=st.uuids().map(str),
        recipe=st.sampled_from(["cpu", "gpu"]),
        version=st.sampled_from("abcd"),
        made=st.dates().map(str),
        snapshots=st.just(()),
    ),
    max_size=12,
    unique_by=lambda image: image.id,
)


@given(images, st.integers(1, 3), st.sampled_from("abcd"), st.data())
def test_current_version_newest_versions_and_used_images_stay(
    found: list[Image], number: int, current: str, data: st.DataObject
):
    used = set(data.draw(st.lists(st.sampled_from([each.id for each in found]), max_size=2))) if found else set()
    gone = removable(found, {"cpu": {"versions": number, "current": current}}, used)
    left = [each for each in found if each not in gone and each.id not in used]
    assert not {each.id for each in gone} & used
    assert not [each for each in gone if each.recipe == "cpu" and each.version == current]
    assert len({each.version for each in left if each.recipe == "cpu"}) <= number
    assert not [each for each in left if each.recipe == "gpu"]


def test_newest_versions_are_kept():
    found = [Image(id=f"ami-{at}", recipe="cpu", version=at, made=f"2026-01-0{at}", snapshots=()) for at in "12345"]
    gone = removable(found, {"cpu": {"versions": 3, "current": "2"}}, set())
    assert [each.version for each in gone] == ["3", "1"]  # the current one, which is older after a way back, counts


@pytest.fixture
def ec2(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-2")
    monkeypatch.setenv("CLUSTER", "cfd")
    monkeypatch.setenv("CONFIG", "cfd-config")
    with mock_aws():
        yield boto3.client("ec2")


def make(ec2: Any, version: str, *, recipe: str = "cpu", config: str = "cfd-config") -> str:
    tags = {"ClusterName": "cfd", "hpc:config": config, "hpc:image": recipe, "hpc:image-version": version}
    machine = ec2.run_instances(ImageId="ami-03cf127a", MinCount=1, MaxCount=1)["Instances"][0]["InstanceId"]
    spec = [{"ResourceType": "image", "Tags": [{"Key": key, "Value": value} for key, value in tags.items()]}]
    return ec2.create_image(InstanceId=machine, Name=f"{recipe}-{version}", TagSpecifications=spec)["ImageId"]


def own(ec2: Any) -> set[str]:
    return {each["ImageId"] for each in ec2.describe_images(Owners=["self"])["Images"]}


def snapshots(ec2: Any) -> set[str]:
    return {each["SnapshotId"] for each in ec2.describe_snapshots(OwnerIds=["self"])["Snapshots"]}


def template(ec2: Any, image: str) -> None:
    spec = [{"ResourceType": "launch-template", "Tags": [{"Key": "ClusterName", "Value": "cfd"}]}]
    ec2.create_launch_template(
        LaunchTemplateName="cpu", LaunchTemplateData={"ImageId": image}, TagSpecifications=spec
    )


def keep(number: int, current: str | None) -> dict[str, Any]:
    return {"keep": {"cpu": {"versions": number, "current": current}}, "tf": {"action": "create"}}


def test_older_versions_go_with_their_snapshots_and_other_stacks_images_stay(ec2: Any):
    before = snapshots(ec2)
    first, foreign = make(ec2, "a"), make(ec2, "z", config="other-config")
    (snapshot, *_) = ec2.describe_images(ImageIds=[first])["Images"][0]["BlockDeviceMappings"]
    second = make(ec2, "b")
    assert handler(keep(1, "b"), None) == {"removed": [first]}
    assert own(ec2) == {second, foreign}
    assert snapshot["Ebs"]["SnapshotId"] not in snapshots(ec2) - before
    assert handler(keep(1, "b"), None) == {"removed": []}


def test_image_of_a_launch_template_stays_after_a_way_back(ec2: Any):
    first, second = make(ec2, "a"), make(ec2, "b")
    template(ec2, first)
    assert handler(keep(1, "b"), None) == {"removed": []}
    assert own(ec2) == {first, second}


def test_destroy_removes_all_and_creation_none(ec2: Any):
    make(ec2, "a")
    make(ec2, "b", recipe="gpu")
    assert handler({"keep": {}, "tf": {"action": "create"}}, None) == {"removed": []}
    assert len(own(ec2)) == 2
    handler({"keep": {}, "tf": {"action": "delete"}}, None)
    assert own(ec2) == set()
