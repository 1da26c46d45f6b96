"""Buckets that the description makes have readers: people and jobs, by a role that their nodes lend them."""

import json
import re
from functools import cache
from typing import Any

import pytest
from iam_lint import policy_findings
from planned_aws import ACCOUNT, Planned
from stack_recordings import PROJECT, recorded

from hpc_components.preview.inputs import check_inputs
from hpc_components.preview.record import record

OWN = {"aws:ResourceAccount": ACCOUNT, "aws:PrincipalAccount": ACCOUNT}
WITH_BUCKETS = [
    stack
    for stack in PROJECT.stacks
    if stack.startswith("aws-") and "buckets" in dict(PROJECT.open(stack).config["hpc:cluster"])  # type: ignore[arg-type]
]


def described(stack: str) -> dict[str, Any]:
    return json.loads(json.dumps(PROJECT.open(stack).config))


@cache
def planned(stack: str) -> Planned:
    return Planned(recorded(stack, preview=False))


def changed(**cluster: Any) -> Planned:
    """The ultracluster with other keys."""
    config = described("aws-ultracluster")
    config["hpc:cluster"] |= cluster
    made = record(PROJECT.main, project=PROJECT.name, stack="aws-ultracluster", config=config, preview=False)
    assert [str(fault) for fault in check_inputs(made)] == []
    return Planned(made)


def may(plan: Planned, place: str, bucket: str) -> set[str]:
    """`read` and `write` where people or jobs there may do so with all of the bucket."""
    role = plan.data_role(place)
    found = set()
    for what, action, mode in (("read", "s3:GetObject", "ReadOnly"), ("write", "s3:PutObject", "ReadWrite")):
        arns = plan.bucket_arns(bucket)
        assert arns
        if all(
            role.allows("s3express:CreateSession", [arn], {"s3express:SessionMode": mode})
            if ":s3express:" in arn
            else role.allows(action, [f"{arn}/some/key"], {})
            for arn in arns
        ):
            found.add(what)
    return found


def test_there_are_stacks_with_buckets() -> None:
    assert {"aws-ultracluster", "aws-university"} <= set(WITH_BUCKETS)


@pytest.mark.parametrize("stack", WITH_BUCKETS)
def test_every_bucket_can_be_read_where_there_are_people_and_jobs(stack: str) -> None:
    plan, cluster = planned(stack), described(stack)["hpc:cluster"]
    for place in ("login", *(queue["name"] for queue in cluster["queues"])):
        for bucket in cluster["buckets"]:
            assert "read" in may(plan, place, bucket), (place, bucket)


@pytest.mark.parametrize("stack", WITH_BUCKETS)
def test_nodes_and_no_one_else_take_the_role_that_they_lend(stack: str) -> None:
    plan, cluster = planned(stack), described(stack)["hpc:cluster"]
    places = ["login", *(queue["name"] for queue in cluster["queues"])]
    for place in places:
        role = plan.data_role(place)
        assert role.trusted == (plan.role_arn(place),)
        for other in [*places, "head"]:
            assert plan.allows(other)("sts:AssumeRole", role.names, OWN) == (other == place)
        foreign = [name.replace(ACCOUNT, "999999999999") for name in role.names]
        assert not plan.allows(place)("sts:AssumeRole", foreign, {**OWN, "aws:ResourceAccount": "999999999999"})


@pytest.mark.parametrize("stack", WITH_BUCKETS)
def test_the_role_that_is_lent_opens_nothing_but_buckets(stack: str) -> None:
    """Not the configuration and not the munge key, with which anybody is root."""
    plan, cluster = planned(stack), described(stack)["hpc:cluster"]
    for place in ("login", *(queue["name"] for queue in cluster["queues"])):
        role = plan.data_role(place)
        assert not role.allows("s3:GetObject", [f"{plan.bucket_arn}/manifest"], {})
        for action in ("secretsmanager:GetSecretValue", "sts:AssumeRole", "ec2:RunInstances"):
            assert not role.allows(action, [*plan.secrets.values(), *role.names, "*"], OWN)


@pytest.mark.parametrize("stack", WITH_BUCKETS)
def test_nodes_are_told_which_role_they_lend(stack: str) -> None:
    plan, cluster = planned(stack), described(stack)["hpc:cluster"]
    assert plan.login_tags["hpc:data-role"] == plan.data_role("login").arn
    assert "hpc:data-role" not in plan.head_tags
    for template in plan.recording.all("LaunchTemplate"):
        if "hpc:machine" in template.inputs["tags"]:
            arn = plan.data_role(template.inputs["tags"]["hpc:queue"]).arn
            (marks,) = [of["tags"] for of in template.inputs["tagSpecifications"] if of["resourceType"] == "instance"]
            # the daemon repeats what is on the template
            assert marks["hpc:data-role"] == template.inputs["tags"]["hpc:data-role"] == arn
    lines = plan.objects["common/buckets"].splitlines()
    assert {line.split(" s3://")[0] for line in lines} == set(cluster["buckets"])
    assert len(lines) == sum(bucket.get("shards", 1) for bucket in cluster["buckets"].values())


def test_buckets_are_used_as_the_description_says() -> None:
    training = {"type": "s3_express", "shards": 12}
    plan = changed(
        buckets={
            "training": {**training, "write_from": ["login"]},
            "results": {"type": "s3", "read_from": ["gpu"]},
            "inbox": {"type": "s3", "read_from": [], "write_from": ["login"]},
        }
    )
    assert may(plan, "login", "training") == {"read", "write"}
    assert may(plan, "gpu", "training") == {"read"}
    assert (may(plan, "login", "results"), may(plan, "gpu", "results")) == (set(), {"read", "write"})
    assert (may(plan, "login", "inbox"), may(plan, "gpu", "inbox")) == ({"read", "write"}, set())
    assert len(plan.bucket_arns("training")) == 12


def test_without_login_nodes_people_are_on_the_head_node() -> None:
    cluster = described("aws-ultracluster")["hpc:cluster"]
    head = {**cluster["head_node"], "public": True}
    plan = changed(login_nodes=None, head_node=head)
    assert plan.head_tags["hpc:data-role"] == plan.data_role("login").arn
    assert plan.data_role("login").trusted == (plan.role_arn("head"),)
    assert may(plan, "login", "archive") == {"read", "write"}


def test_no_role_where_there_is_nothing_to_lend() -> None:
    queues = described("aws-ultracluster")["hpc:cluster"]["queues"]
    own = {**queues[0], "name": "own", "instance_profile": "jobs-of-ours"}
    plan = changed(queues=[*queues, own], buckets={"archive": {"type": "s3", "read_from": ["own"]}})
    assert plan.recording.all("hpc:aws:DataIdentity") == ()
    assert "hpc:data-role" not in plan.login_tags


def test_a_hundred_shards_fit_into_a_policy_that_parliament_passes() -> None:
    plan = changed(buckets={"training": {"type": "s3_express", "shards": 100}, "archive": {"type": "s3"}})
    lent = [each.inputs["policy"] for each in plan.recording.all("RolePolicy") if "-data-policy" in each.name]
    assert len(lent) == 2
    for text in lent:
        assert len(text) <= 10_240
        assert policy_findings(re.sub(r"arn:aws:standin:[^/]*/arn", "arn:aws:s3:::bucket", text)) == []
