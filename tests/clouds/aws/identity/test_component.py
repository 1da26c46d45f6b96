import json
from typing import Any

import pulumi
import pytest
from both_modes import in_both_modes
from iam_lint import policy_findings

from clouds.aws.sample import CONFIG, LENT, OWN, TAGS, THEIRS, WHO, WHO_LENDS, bucket
from hpc_components.aws.identity.component import NodeIdentity, NodeIdentityArgs, identity_marks
from hpc_components.aws.identity.data_identity import DataIdentityArgs
from hpc_components.aws.identity.permissions import compute_statements
from hpc_components.aws.identity.policies import policy_document
from hpc_components.aws.identity.roles import grant
from hpc_components.aws.ports import BucketAccess, Identities, Identity
from hpc_components.elastic.drivers.aws.errors import LAUNCH_DENIAL
from hpc_components.preview.record import ProgramError, Recording, record

BOUNDARY = "arn:aws:iam::123456789012:policy/edge"
STATEMENTS = compute_statements("cfd", CONFIG)


def recorded(**change: Any) -> tuple[Recording, Identities]:
    made: list[NodeIdentity] = []

    def program() -> None:
        made.append(NodeIdentity("cfd-gpu", NodeIdentityArgs(**{"tags": TAGS, **change})))
        own = made[-1].identities.own
        pulumi.export("own", [own.instance_profile, own.role_arn, own.role_name])

    update, _ = in_both_modes(program)
    return update, made[0].identities


def test_a_new_role_may_do_nothing_yet() -> None:
    recording, identities = recorded(permissions_boundary=BOUNDARY, role_path="/hpc/")
    assert {(each.type, each.name) for each in recording.resources} == {
        ("hpc:aws:NodeIdentity", "cfd-gpu"),
        ("aws:iam/role:Role", "cfd-gpu-role"),
        ("aws:iam/instanceProfile:InstanceProfile", "cfd-gpu-profile"),
    }
    role, profile = recording.one("aws:iam/role:Role"), recording.one("InstanceProfile")
    assert (role.inputs["permissionsBoundary"], role.inputs["path"], profile.inputs["path"]) == (
        BOUNDARY,
        "/hpc/",
        "/hpc/",
    )
    assert "ec2.amazonaws.com" in role.inputs["assumeRolePolicy"]
    assert role.inputs["tags"]["ClusterName"] == profile.inputs["tags"]["ClusterName"] == "cfd"
    assert profile.property_dependencies["role"] == (role.urn,)
    assert not [each.urn for each in recording.resources if each.custom and "name" in each.inputs]
    assert (identities.lent, identity_marks(identities)) == (None, {})
    assert len(set(recording.outputs["own"])) == 3


def test_a_denial_of_launches_is_made_and_not_attached_and_goes_after_the_role() -> None:
    recording, identities = recorded(launch_denial=True, role_path="/hpc/")
    policy, role = recording.one("aws:iam/policy:Policy"), recording.one("aws:iam/role:Role")
    assert LAUNCH_DENIAL in policy.name
    (statement,) = json.loads(policy.inputs["policy"])["Statement"]
    assert (statement["Effect"], statement["Action"]) == ("Deny", ["ec2:RunInstances"])
    assert statement["Resource"] == ["arn:aws:ec2:*:*:instance/*"]
    assert policy_findings(policy.inputs["policy"]) == []
    assert policy.inputs["path"] == "/hpc/"
    assert role.inputs["forceDetachPolicies"] is True
    assert policy.urn in role.depends_on
    assert not recording.all("aws:iam/rolePolicyAttachment:RolePolicyAttachment")
    assert identities.own.launch_denial is not None
    plain, others = recorded()
    assert "forceDetachPolicies" not in plain.one("aws:iam/role:Role").inputs
    assert others.own.launch_denial is None


def test_the_roles_of_all_queues_go_by_one_pattern() -> None:
    recording, identities = recorded(queue="gpu", role_path="/hpc/")
    assert recording.one("aws:iam/role:Role").inputs["path"] == "/hpc/cfd/compute/"
    assert identities.own.in_policies == "arn:aws:iam::*:role/hpc/cfd/compute/*"
    assert recorded()[1].own.role_pattern is None, "of the head or the login nodes there is one"


@pytest.mark.parametrize(("queue", "path"), [("gpu", "/hpc/cfd/data/gpu/"), (None, "/hpc/cfd/data/login/")])
def test_people_and_jobs_get_a_second_one_that_may_use_buckets_and_nothing_else(queue: str | None, path: str) -> None:
    buckets = BucketAccess(read=(bucket("raw"),), write=(bucket("runs"),))
    recording, identities = recorded(queue=queue, buckets=buckets, role_path="/hpc/", permissions_boundary=BOUNDARY)
    lent = recording.one("aws:iam/role:Role", "cfd-gpu-data")
    assert (lent.inputs["path"], lent.inputs["permissionsBoundary"]) == (path, BOUNDARY)
    (trust,) = json.loads(lent.inputs["assumeRolePolicy"])["Statement"]
    assert trust["Principal"] == {"AWS": recording.outputs["own"][1]}
    policy = recording.one("RolePolicy")
    assert (policy.name, policy.property_dependencies["role"]) == ("cfd-gpu-data-policy", (lent.urn,))
    text = policy.inputs["policy"]
    assert policy_findings(text) == []
    assert all(action.startswith("s3:") for each in json.loads(text)["Statement"] for action in each["Action"])
    assert identities.lent is not None
    assert identities.lent.in_policies == f"arn:aws:iam::*:role{path}*"
    assert identity_marks(identities) == {"data_role": identities.lent.role_arn}


def test_a_role_for_no_bucket_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^DataIdentityArgs\.buckets: no bucket is specified"):
        DataIdentityArgs(buckets=BucketAccess(), lent_by=OWN.role_arn, tags=TAGS)


def test_a_machine_needs_an_instance_profile() -> None:
    with pytest.raises(ValueError, match=r"^Identities\.own: the role has no instance profile"):
        Identities(own=LENT)


def test_own_role_is_not_lent() -> None:
    with pytest.raises(ValueError, match=r"^Identities\.lent: .* is also used by other nodes"):
        Identities(own=OWN, lent=Identity(role_arn=OWN.role_arn))


def test_a_policy_has_what_it_is_given_and_the_role_that_is_lent() -> None:
    plain = record(lambda: grant("n", WHO, STATEMENTS, pulumi.ResourceOptions())).one("RolePolicy", "n-role-policy")
    assert plain.inputs == {"role": OWN.role_name, "policy": policy_document(STATEMENTS)}
    lends = record(lambda: grant("n", WHO_LENDS, STATEMENTS, pulumi.ResourceOptions())).one("RolePolicy")
    *others, last = json.loads(lends.inputs["policy"])["Statement"]
    assert others == json.loads(plain.inputs["policy"])["Statement"]
    assert last["Resource"] == [LENT.role_arn]


def test_a_role_of_the_users_gets_no_policy() -> None:
    assert not record(lambda: grant("n", THEIRS, STATEMENTS, pulumi.ResourceOptions())).resources


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("wing lab", r"a role name can't begin with 'wing lab-role', because it contains ' '; use only "),
        ("lab/wing", r"it contains '/'"),
        ("flügel", r"it contains 'ü'"),
        ("w" * 60, r"it has 65 characters and the maximum is 56; shorten the component's name by 9$"),
    ],
)
def test_a_name_that_iam_would_refuse(name: str, said: str) -> None:
    args = NodeIdentityArgs(tags=TAGS)
    with pytest.raises(ProgramError, match=said):
        record(lambda: NodeIdentity(name, args))
    assert record(lambda: NodeIdentity("W" * 51, args)).one("aws:iam/role:Role")
