import pytest
from iam_lint import policy_findings

from clouds.aws.sample import CONFIG, TAGS
from hpc_components.aws.components.node_role import NodeRole, NodeRoleArgs
from hpc_components.aws.components.permissions import compute_statements
from hpc_components.aws.components.policies import Statement, policy_document
from hpc_components.preview.record import ProgramError, record

STATEMENTS = compute_statements("cfd", CONFIG)


@pytest.mark.parametrize("preview", [True, False])
def test_a_node_has_role_policy_and_profile(preview):
    args = NodeRoleArgs(
        statements=STATEMENTS,
        permissions_boundary="arn:aws:iam::123456789012:policy/edge",
        role_path="/hpc/",
        managed_policy_arns=("arn:aws:iam::aws:policy/CloudWatchAgentServerPolicy",),
        tags=TAGS,
    )
    recording = record(lambda: NodeRole("login", args), preview=preview)
    role = recording.one("aws:iam/role:Role", "login-role")
    assert role.inputs["path"] == "/hpc/"
    assert role.inputs["permissionsBoundary"] == "arn:aws:iam::123456789012:policy/edge"
    assert "ec2.amazonaws.com" in str(role.inputs["assumeRolePolicy"])
    assert role.inputs["tags"]["ClusterName"] == "cfd"
    policy = recording.one("RolePolicy", "login-role-policy")
    assert policy.inputs["policy"] == policy_document(STATEMENTS)
    assert policy_findings(policy.inputs["policy"]) == []
    profile = recording.one("InstanceProfile", "login-profile")
    assert profile.inputs["path"] == "/hpc/"
    assert profile.property_dependencies["role"] == (role.urn,)
    attached = recording.one("RolePolicyAttachment", "login-CloudWatchAgentServerPolicy")
    assert attached.inputs["policyArn"] == "arn:aws:iam::aws:policy/CloudWatchAgentServerPolicy"
    top = recording.one("hpc:aws:NodeRole", "login")
    assert {each.parent for each in recording.resources if each.custom} == {top.urn}


def test_names_are_left_to_pulumi():
    recording = record(lambda: NodeRole("login", NodeRoleArgs(statements=STATEMENTS, tags=TAGS)))
    assert not [each.urn for each in recording.resources if each.custom and "name" in each.inputs]


def test_a_role_without_permissions_and_a_sid_used_twice_are_refused():
    with pytest.raises(ValueError, match=r"NodeRoleArgs.statements: a role needs at least one"):
        NodeRoleArgs(statements=(), tags=TAGS)
    read = Statement("Read", ("s3:GetObject",), ("arn:aws:s3:::b/*",))
    with pytest.raises(ValueError, match=r"NodeRoleArgs.statements: 'Read' is there twice"):
        NodeRoleArgs(statements=(read, read), tags=TAGS)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("wing lab", r"'wing lab-role' can't begin the name of a role: IAM takes no ' '; name the component with "),
        ("lab/wing", r"IAM takes no '/'"),
        ("flügel", r"IAM takes no 'ü'"),
        ("w" * 60, r"it has 65 characters, and there is room for 56; shorten the component's name by 9$"),
    ],
)
def test_a_name_that_iam_would_refuse(name: str, said: str) -> None:
    args = NodeRoleArgs(statements=STATEMENTS, tags=TAGS)
    with pytest.raises(ProgramError, match=said):
        record(lambda: NodeRole(name, args))
    assert record(lambda: NodeRole("W" * 51, args)).one("aws:iam/role:Role")
