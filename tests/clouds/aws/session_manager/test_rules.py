import pytest

from hpc_components.spec.findings import Level
from tests.spec.rules.judged import cluster, levels, paths, problems

KEY = "arn:aws:kms:us-east-2:123456789012:key/01234567-89ab-cdef-0123-456789abcdef"
LOGIN = {"machine": "m7i.large"}


@pytest.mark.parametrize("id", [f"HPC-SSM-{number:03}" for number in range(1, 10)])
def test_cluster_without_sessions_needs_nothing(id):
    assert not paths(id, os="debian-12", login_nodes={**LOGIN, "instance_profile": "ours"})


@pytest.mark.parametrize(
    ("id", "key", "good", "bad"),
    [
        ("HPC-SSM-001", "idle_timeout", ["1m", "60m", "1h"], ["59s", "61m", "90s", "0m"]),
        ("HPC-SSM-002", "max_duration", ["1m", "12h", "24h", "1d", "999m"], ["30s", "25h", "1441m", "90s"]),
        ("HPC-SSM-003", "max_sessions_per_user", [1, 50], [0, -1]),
        ("HPC-SSM-004", "logs", ["1d", "365d"], ["2d", "36500d", "12h"]),
    ],
)
def test_values_that_aws_does_not_offer_are_errors(id, key, good, bad):
    for value in good:
        assert levels(id, session_manager={key: value}) == [], value
    for value in bad:
        assert levels(id, session_manager={key: value}) == [Level.ERROR], value
        assert paths(id, session_manager={key: value}) == [f"session_manager.{key}"]


@pytest.mark.parametrize(("duration", "level"), [("17h", None), ("18h", Level.WARNING), ("20h", None)])
def test_duration_that_the_description_of_the_api_leaves_out_is_a_warning(duration, level):
    assert levels("HPC-SSM-002", session_manager={"max_duration": duration}) == ([level] if level else [])


def test_debian_without_an_image_that_has_the_agent_is_an_error():
    (problem,) = problems("HPC-SSM-005", os="debian-12", session_manager={})
    assert "head_node.image" in problem.remedy
    (problem,) = problems("HPC-SSM-005", os="debian-13", login_nodes=LOGIN, session_manager={})
    assert "login_nodes.image" in problem.remedy
    own = {**LOGIN, "image": "ami-0123456789abcdef0"}
    assert not paths("HPC-SSM-005", os="debian-13", login_nodes=own, session_manager={})


def test_trail_is_needed_only_by_a_limit():
    assert not paths("HPC-SSM-007", session_manager={})
    (problem,) = problems("HPC-SSM-007", session_manager={"max_sessions_per_user": 2})
    assert "--region us-east-2" in problem.remedy


def test_key_must_be_open_to_the_log_service_if_there_are_logs():
    assert not paths("HPC-SSM-008", session_manager={"kms_key": KEY})
    (problem,) = problems("HPC-SSM-008", session_manager={"kms_key": KEY, "logs": "30d"})
    assert "logs.us-east-2.amazonaws.com" in problem.remedy


def test_permissions_of_own_profiles_are_named():
    head = {"machine": "c6i.xlarge", "instance_profile": "ours"}
    assert not paths("HPC-SSM-009", head_node=head, session_manager={})
    (problem,) = problems("HPC-SSM-009", head_node=head, session_manager={"kms_key": KEY})
    assert "need kms:Decrypt, and" in problem.reason


@pytest.mark.parametrize(
    ("id", "key"), [("HPC-IAM-003", "alias/sessions"), ("HPC-IAM-004", KEY.replace("-2:", "-1:"))]
)
def test_key_for_sessions_is_judged_like_others(id, key):
    assert paths(id, session_manager={"kms_key": key}) == ["session_manager.kms_key"]


def test_key_for_sessions_needs_an_endpoint_without_nat():
    endpoints = ["s3", "ec2", "secretsmanager", "ssm", "ssmmessages", "logs"]
    network = {"cidr": "10.20.0.0/16", "nat": "none", "endpoints": endpoints}
    assert not paths("HPC-NET-015", network=network, session_manager={})
    (problem,) = problems("HPC-NET-015", network=network, session_manager={"kms_key": KEY})
    assert "(kms: Session Manager decrypts sessions)" in problem.reason
    network = {**network, "endpoints": [*endpoints, "kms"]}
    assert not paths("HPC-NET-015", network=network, session_manager={"kms_key": KEY})


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"session_manager": {}}, "log in to the head node under their own accounts."),
        (
            {"session_manager": {"max_sessions_per_user": 1}, "login_nodes": LOGIN},
            "login nodes under their own accounts, with at most 1 session at a time on all of them.",
        ),
        ({}, None),
    ],
)
def test_plan_says_who_may_log_in(changes, words):
    said = list(cluster(**changes).other_logins())
    assert [each.endswith(words) for each in said] == ([True] if words else [])
