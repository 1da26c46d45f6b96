"""What a description's organizations get, in the plan of a whole cluster."""

import json
from typing import Any

import pytest
from planned_aws import ACCOUNT, Planned

from hpc_components.aws.cluster import Cluster
from hpc_components.preview.inputs import check_inputs
from hpc_components.preview.record import record
from tests.spec.rules.judged import cluster, queue

CONTEXT = {"aws:ResourceAccount": ACCOUNT, "aws:PrincipalAccount": ACCOUNT}
ACME = {"gid": 3101, "bucket": True, "queues": ["forge"], "cost_center": "4711"}
BIRCH = {"gid": 3102, "bucket": True}


def planned(**changes: Any) -> Planned:
    usual = {
        "queues": [queue(name="cpu"), queue(name="forge")],
        "login_nodes": {"machine": "c6i.xlarge"},
        "storage": {"home": {"type": "nfs", "mount": "/home", "size": "1TiB"}},
        "slurm": {"accounting": {}},
        "buckets": {"data": {"type": "s3"}, "raw": {"type": "s3", "write_from": ["login"]}},
        "organizations": {"acme": ACME, "birch": BIRCH, "cedar": {"gid": 3103}},
        "tags": {"CostCenter": "all", "Project": "wing"},
    }
    described = cluster(**(usual | changes))
    made = record(lambda: Cluster("cfd", described), preview=False)
    assert [str(fault) for fault in check_inputs(made)] == []
    return Planned(made)


@pytest.fixture(scope="module")
def plan() -> Planned:
    return planned()


def test_each_role_is_lent_where_people_of_the_organization_are(plan: Planned) -> None:
    places = {"acme": ["login", "cpu", "forge"], "birch": ["login", "cpu"]}
    for name, where in places.items():
        role = plan.organization_role(name)
        assert role.trusted == tuple(map(plan.role_arn, where))
        lent_by = [
            each
            for each in ("head", "login", "cpu", "forge")
            if plan.allows(each)("sts:AssumeRole", role.names, CONTEXT)
        ]
        assert lent_by == where
        foreign = {**CONTEXT, "aws:ResourceAccount": "999999999999"}
        assert not plan.allows("login")("sts:AssumeRole", role.names, foreign)


def test_without_login_nodes_the_head_node_lends() -> None:
    assert planned(login_nodes=None).organization_role("birch").trusted[0].find("head") > 0


def test_no_other_role_of_the_cluster_reaches_bucket_or_key(plan: Planned) -> None:
    (bucket,) = plan.bucket_arns("acme")
    name = dict(line.split(" s3://") for line in plan.objects["common/buckets"].splitlines())["acme"]
    key = plan.bucket_keys()[name]
    own = plan.organization_role("acme").allows
    others = [plan.allows(each) for each in ("head", "login", "cpu", "forge")]
    others += [plan.data_role(each).allows for each in ("login", "cpu", "forge")]
    others.append(plan.organization_role("birch").allows)
    for action, resource in [
        ("s3:ListBucket", bucket),
        *((f"s3:{each}", f"{bucket}/x") for each in ("GetObject", "PutObject", "DeleteObject")),
        *((f"kms:{each}", key) for each in ("Decrypt", "GenerateDataKey")),
    ]:
        assert own(action, [resource], {}), action
        assert not any(allows(action, [resource], {}) for allows in others), action
    assert not own("s3:DeleteObjectVersion", [f"{bucket}/x"], {}), "what was deleted by mistake can be recovered"


def test_shared_buckets_give_the_access_of_all_places(plan: Planned) -> None:
    (data,), (raw,) = plan.bucket_arns("data"), plan.bucket_arns("raw")
    for name in ("acme", "birch"):
        may = plan.organization_role(name).allows
        assert may("s3:PutObject", [f"{data}/x"], {})
        assert may("s3:GetObject", [f"{raw}/x"], {})
        assert not may("s3:PutObject", [f"{raw}/x"], {})


def test_nodes_learn_the_roles_by_the_ids_of_groups(plan: Planned) -> None:
    assert json.loads(plan.objects["common/organizations.json"]) == {
        "3101": plan.organization_role("acme").arn,
        "3102": plan.organization_role("birch").arn,
    }


def test_what_belongs_to_one_organization_is_tagged_for_its_cost_center(plan: Planned) -> None:
    tagged = [each for each in plan.recording.resources if "hpc:organization" in each.inputs.get("tags", ())]
    found = {
        (each.type, each.inputs["tags"]["hpc:organization"], each.inputs["tags"]["CostCenter"]) for each in tagged
    }
    kinds = ("aws:iam/role:Role", "aws:s3/bucket:Bucket", "aws:kms/key:Key")
    assert found == {(kind, *its) for kind in kinds for its in (("acme", "4711"), ("birch", "all"))}


def test_an_organization_without_bucket_and_role_changes_nothing() -> None:
    plan = planned(organizations={"acme": {"gid": 3101, "queues": ["forge"]}})
    assert "common/organizations.json" not in plan.objects
    assert not plan.recording.all("hpc:aws:Organization")
    assert "LendOrganizationRoles" not in json.dumps([plan.statements(each) for each in ("login", "cpu", "forge")])
