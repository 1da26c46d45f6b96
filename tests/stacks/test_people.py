"""What a description's people add to the plan of a stack, besides files: what the head node publishes them with."""

import json
import re
from typing import Any

import pytest
from stack_recordings import PROJECT, parts_of, recorded, stacks_of

from hpc_components.azure.identity.roles import built_in_role
from hpc_components.preview.record import Recording, record

PEOPLE = {"users": {"ada": {"uid": 2001}}}

Inputs = dict[tuple[str, str], Any]
"""By kind and name of the resource."""


def with_people(stack: str, people: Any) -> Recording:
    """What the stack makes with these people, in place of its own people and organizations."""
    config = json.loads(json.dumps(PROJECT.open(stack).config))
    own = [config["hpc:cluster"].pop(key, None) for key in ("people", "organizations")]
    if people is None and own == [None, None]:
        return recorded(stack, preview=False)
    if people is not None:
        config["hpc:cluster"]["people"] = people
    return record(PROJECT.main, project=PROJECT.name, stack=stack, config=config, preview=False)


def differences(stack: str) -> tuple[Inputs, Inputs, Recording]:
    """Inputs of what people add and change, besides files and images, and the recording with them."""
    after = with_people(stack, PEOPLE)
    old, new = inputs(stack, with_people(stack, None)), inputs(stack, after)
    assert old.keys() <= new.keys()
    added = {key: value for key, value in new.items() if key not in old}
    return added, {key: value for key, value in new.items() if key in old and value != old[key]}, after


IMAGES = re.compile(r"\b(BakedImage|ImageRetention)\b")
"""What makes the images of recipes, which contain a package for people."""


def inputs(stack: str, recording: Recording) -> Inputs:
    files = {each.urn for each in recording.all(parts_of(stack).file)}
    files |= {each.urn for each in recording.resources if each.type.endswith(":ConfigBucket")}
    return {
        (each.type.rpartition(":")[2], each.name): each.inputs
        for each in recording.resources
        if each.urn not in files and not IMAGES.search(each.urn)
    }


@pytest.mark.parametrize("stack", stacks_of("aws"))
def test_people_let_the_head_node_write_objects_on_aws(stack: str) -> None:
    added, changed, after = differences(stack)
    (bucket,) = [each for each in after.all("aws:s3/bucket:Bucket") if each.name.endswith("-config")]
    name = bucket.name.removesuffix("-config")
    (lifecycle,) = added.values()
    assert added.keys() == {("BucketLifecycleConfiguration", f"{name}-config-lifecycle")}
    assert lifecycle["rules"] == [
        {
            "id": "published",
            "status": "Enabled",
            "filter": {"prefix": "published/"},
            "noncurrentVersionExpiration": {"noncurrentDays": 1},
        }
    ]
    (policy,) = changed.values()
    head = ("RolePolicy", f"{name}-head-role-policy")
    assert changed.keys() == {head}
    before = json.loads(inputs(stack, with_people(stack, None))[head]["policy"])["Statement"]
    statements = json.loads(policy["policy"])["Statement"]
    (read,) = [each["Resource"] for each in statements if each["Sid"] == "ListConfig"]
    assert [each for each in statements if each not in before] == [
        {
            "Sid": "PublishFiles",
            "Effect": "Allow",
            "Action": ["s3:PutObject"],
            "Resource": [f"{read[0]}/published/*"],
        }
    ]
    assert [each for each in statements if each in before] == before


@pytest.mark.parametrize("stack", stacks_of("azure"))
def test_people_let_login_nodes_read_blobs_on_azure(stack: str) -> None:
    """The head node writes to that container in any case, and compute nodes read it."""
    added, changed, after = differences(stack)
    assert changed == {}
    (writes,) = [each for each in after.all("RoleAssignment") if each.name.endswith("-head-writes-names")]
    name = writes.name.removesuffix("-head-writes-names")
    has_login_nodes = "login_nodes" in PROJECT.open(stack).config["hpc:cluster"]
    assert added.keys() == ({("RoleAssignment", f"{name}-login-reads-published")} if has_login_nodes else set())
    for each in added.values():
        assert each["scope"] == writes.inputs["scope"]
        assert each["roleDefinitionId"] == built_in_role("Storage Blob Data Reader")


@pytest.mark.parametrize("stack", stacks_of("gcp"))
def test_people_let_the_head_node_write_objects_on_google(stack: str) -> None:
    added, changed, after = differences(stack)
    assert changed == {}
    (reads,) = [each for each in after.all("BucketIAMMember") if each.name.endswith("-head-reads-config")]
    (binding,) = added.values()
    assert added.keys() == {("BucketIAMMember", reads.name.replace("-reads-config", "-publishes"))}
    expression = 'resource.name.extract("/objects/{name}").startsWith("published/")'
    assert binding == {
        **reads.inputs,
        "role": "roles/storage.objectUser",
        "condition": {"title": "objects that begin with published/", "expression": expression},
    }
