"""What the policies for users and administrators allow, on an emulated Session Manager."""

import json
from typing import Any

import pytest
from iam_allows import policy
from iam_lint import policy_findings

from clouds.aws.sample import CONFIG
from clouds.aws.session_manager.session_service import CHECK, Caller, DeniedError, SessionService
from hpc_components.aws.identity.policies import policy_document
from hpc_components.aws.session_manager.permissions import (
    administrator_statements,
    limiter_statements,
    node_statements,
    user_statements,
)

DOCUMENT = "hpc-cfd"
KEY = "arn:aws:kms:us-east-2:123456789012:key/0f0e0d0c"
LOG_GROUP = "/hpc/cfd/sessions"
USER = user_statements("cfd", CONFIG, DOCUMENT, "login", None)
ALL = {
    "users": user_statements("cfd", CONFIG, DOCUMENT, "login", KEY),
    "administrators": administrator_statements("cfd", CONFIG, DOCUMENT, KEY),
    "nodes": node_statements(LOG_GROUP, KEY),
    "function": limiter_statements("limit-log"),
}
FOREIGN_DOCUMENTS = [None, "SSM-SessionManagerRunShell", "AWS-StartSSHSession", "AWS-StartPortForwardingSession",
                     "hpc-other", "hpc-cfd-2"]  # fmt: skip


def plain(statements: Any) -> list[dict[str, Any]]:
    return json.loads(str(policy_document(statements)))["Statement"]


def caller(name: str, statements: Any = USER) -> Caller:
    return Caller(name, policy(plain(statements)))


@pytest.fixture
def service() -> SessionService:
    return SessionService()


def test_user_starts_resumes_and_ends_a_session_on_a_login_node(service):
    alice = caller("alice")
    session = service.start(alice, service.launch(), DOCUMENT)
    service.act(alice, "ssm:ResumeSession", session)
    service.act(alice, "ssm:TerminateSession", session)


@pytest.mark.parametrize("document", FOREIGN_DOCUMENTS)
def test_user_can_not_use_another_document(service, document):
    with pytest.raises(DeniedError, match=r"on arn:aws:ssm:.*:document/"):
        service.start(caller("alice"), service.launch(), document)


@pytest.mark.parametrize(
    "node",
    [
        {"role": "compute"}, {"role": "head"}, {"cluster": "other"}, {"config": "twin-config"},
    ],
)  # fmt: skip
def test_user_can_not_reach_other_nodes(service, node):
    with pytest.raises(DeniedError, match="ssm:StartSession on i-"):
        service.start(caller("alice"), service.launch(**node), DOCUMENT)


def test_user_of_a_cluster_without_login_nodes_reaches_the_head_node_alone(service):
    alice = caller("alice", user_statements("cfd", CONFIG, DOCUMENT, "head", None))
    service.start(alice, service.launch(role="head"), DOCUMENT)
    with pytest.raises(DeniedError):
        service.start(alice, service.launch(role="compute"), DOCUMENT)


@pytest.mark.parametrize("statements", [USER, ALL["administrators"]], ids=["user", "administrator"])
@pytest.mark.parametrize("action", ["ssm:ResumeSession", "ssm:TerminateSession"])
@pytest.mark.parametrize("owner", ["bob", "alice2", "alic"])
def test_nobody_touches_a_session_of_another(service, statements, action, owner):
    theirs = service.start(caller(owner), service.launch(), DOCUMENT)
    with pytest.raises(DeniedError, match=action):
        service.act(caller("alice", statements), action, theirs)


@pytest.mark.parametrize("role", ["head", "login", "compute"])
@pytest.mark.parametrize("document", [DOCUMENT, None])
def test_administrator_reaches_all_nodes_of_the_cluster(service, role, document):
    service.start(caller("root", ALL["administrators"]), service.launch(role=role), document)


@pytest.mark.parametrize(
    ("node", "document"),
    [
        ({"cluster": "other"}, DOCUMENT), ({"config": "twin-config"}, None), ({}, "AWS-StartSSHSession"),
        ({}, "hpc-other"),
    ],
)  # fmt: skip
def test_administrator_reaches_nothing_else(service, node, document):
    with pytest.raises(DeniedError):
        service.start(caller("root", ALL["administrators"]), service.launch(**node), document)


@pytest.mark.parametrize("whose", ["users", "administrators"])
def test_every_statement_that_starts_sessions_demands_the_check_of_the_document(whose):
    starting = [each for each in plain(ALL[whose]) if "ssm:StartSession" in each["Action"]]
    assert [each["Condition"]["BoolIfExists"] for each in starting] == [{CHECK: "true"}] * 2


def test_nodes_may_do_what_the_agent_does_for_logs_and_encryption():
    # Source: amazon-ssm-agent 1c217c8, agent/agentlogstocloudwatch/cloudwatchlogspublisher and agent/session/shell.
    allows = policy(plain(ALL["nodes"]))
    group = f"arn:aws:logs:us-east-2:123456789012:log-group:{LOG_GROUP}"
    stream = f"{group}:log-stream:alice-01"
    for action, resource in (
        ("logs:DescribeLogGroups", "*"), ("logs:DescribeLogStreams", f"{group}:*"),
        ("logs:CreateLogStream", stream), ("logs:PutLogEvents", stream), ("kms:Decrypt", KEY),
    ):  # fmt: skip
        assert allows(action, [resource], {}), action
    assert not allows(
        "logs:PutLogEvents", ["arn:aws:logs:us-east-2:123456789012:log-group:/hpc/cfd:log-stream:x"], {}
    )
    assert plain(node_statements(None, None)) == []


def test_only_users_of_a_key_may_make_data_keys():
    assert policy(plain(ALL["users"]))("kms:GenerateDataKey", [KEY], {})
    assert "kms" not in json.dumps(plain(USER))


@pytest.mark.parametrize("whose", ALL)
def test_linter_finds_nothing_in_a_policy(whose):
    found = [str(each) for each in policy_findings(policy_document(ALL[whose]))]
    # Its list lacks this condition. Source: Systems Manager user guide, "Sample IAM policies for Session Manager".
    assert [each for each in found if "sessiondocumentaccesscheck" not in each.lower()] == []
