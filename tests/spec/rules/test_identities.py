"""The head node's identity, named for other nodes in all spellings that the clouds take for the same."""

from typing import Any

import pytest

from hpc_components.spec.findings import Finding
from hpc_components.spec.source import Document
from hpc_components.spec.validate import judge

RULE = "HPC-IDN-013"
ROLE = "arn:aws:iam::123456789012:role"
IDENTITY = (
    "/subscriptions/11111111-2222-3333-4444-555555555555/resourceGroups/site/providers"
    "/Microsoft.ManagedIdentity/userAssignedIdentities"
)
AWS = {"cloud": "aws", "region": "us-east-2", "zone": "use2-az2"}
AZURE = {"cloud": "azure", "region": "eastus", "zone": "eastus-1"}
GOOGLE = {"cloud": "gcp", "project": "my-hpc-project", "region": "us-central1", "zone": "us-central1-a"}
MACHINES = {"aws": "c7i.4xlarge", "azure": "Standard_D16s_v5", "gcp": "c2-standard-60"}


def account(name: str) -> str:
    return f"{name}@my-hpc-project.iam.gserviceaccount.com"


def found(
    cloud: dict[str, str], head: dict[str, str], queue: dict[str, str], rule: str = RULE, **more: Any
) -> list[Finding]:
    machine = MACHINES[cloud["cloud"]]
    described = {
        **cloud,
        "name": "cfd",
        "network": {"cidr": "10.20.0.0/16"},
        "head_node": {"machine": machine, **head},
        "queues": [{"name": "cpu", "machine": machine, "max": 2, **queue}],
    }
    judgement = judge(Document("f.yaml", described | more))
    return [finding for finding in judgement.findings if finding.id == rule]


@pytest.mark.parametrize(
    ("cloud", "head", "queue"),
    [
        (AWS, {"instance_profile": "head"}, {"instance_profile": "head"}),
        (AWS, {"instance_profile": "head"}, {"instance_profile": "HEAD", "instance_role": f"{ROLE}/other"}),
        (AWS, {"instance_profile": "head"}, {"instance_profile": "jobs", "instance_role": f"{ROLE}/a/Head"}),
        (
            AWS,
            {"instance_profile": "head"},
            {"instance_profile": "arn:aws:iam::123456789012:instance-profile/site/head"},
        ),
        (AZURE, {"identity": f"{IDENTITY}/head"}, {"identity": f"{IDENTITY}/Head"}),
        (AZURE, {"identity": f"{IDENTITY}/head"}, {"identity": f"{IDENTITY}/head".replace("Groups", "groups")}),
        (GOOGLE, {"service_account": account("head")}, {"service_account": account("head")}),
        (GOOGLE, {"service_account": account("head")}, {"service_account": f"serviceAccount:{account('head')}"}),
        (GOOGLE, {}, {"service_account": account("cfd-head")}),
    ],
)
def test_identity_of_the_head_node_for_jobs_is_an_error(
    cloud: dict[str, str], head: dict[str, str], queue: dict[str, str]
) -> None:
    (finding,) = found(cloud, head, queue)
    assert finding.level == "error"
    assert "every job in queue cpu" in finding.reason


@pytest.mark.parametrize(
    ("cloud", "head", "queue"),
    [
        (AWS, {"instance_profile": "head"}, {"instance_profile": "jobs", "instance_role": f"{ROLE}/jobs"}),
        (AWS, {"instance_profile": "head"}, {}),
        (AWS, {}, {"instance_profile": "jobs", "instance_role": f"{ROLE}/jobs"}),
        (AZURE, {"identity": f"{IDENTITY}/head"}, {"identity": f"{IDENTITY}/head-2"}),
        (GOOGLE, {"service_account": account("head")}, {"service_account": account("jobs")}),
        (GOOGLE, {"service_account": account("cfd-head")}, {}),
    ],
)
def test_separate_identities_are_right(cloud: dict[str, str], head: dict[str, str], queue: dict[str, str]) -> None:
    assert found(cloud, head, queue) == []


def test_login_nodes_with_the_identity_of_jobs_are_a_warning() -> None:
    own = {"instance_profile": "people", "instance_role": f"{ROLE}/people"}
    login = {"machine": "m7i.large", "instance_profile": "people"}
    (finding,) = found(AWS, {}, own, login_nodes=login)
    assert finding.level == "warning"
    assert finding.path == "queues[0].instance_profile"


@pytest.mark.parametrize(
    ("cloud", "rule", "place", "own", "permission"),
    [
        (AWS, "HPC-IAM-011", "head_node", {"instance_profile": "head"}, "s3:PutObject"),
        (AZURE, "HPC-IDN-002", "login_nodes", {"identity": f"{IDENTITY}/login"}, "on the container 'nodes'"),
        (GOOGLE, "HPC-IDN-007", "head_node", {"service_account": account("head")}, "published/"),
    ],
)
def test_people_take_one_more_permission_of_your_own_identity(
    cloud: dict[str, str], rule: str, place: str, own: dict[str, str], permission: str
) -> None:
    described = {place: {"machine": MACHINES[cloud["cloud"]], **own}}
    without = found(cloud, {}, {}, rule, **described)
    assert [each for each in without if permission in (each.remedy or "")] == []
    (finding,) = found(cloud, {}, {}, rule, **described, people={"users": {"ada": {"uid": 2001}}})
    assert permission in (finding.remedy or "")
    assert (finding.level, finding.path.partition(".")[0]) == ("warning", place)
