"""Who may do what, read off a description."""

import json

import pytest

from hpc_components.preview.access import access_of
from hpc_components.preview.plan import Plan
from hpc_components.preview.render.wording import login_words, longest_job
from hpc_components.spec.load import load_cluster

HEAD = {"machine": "c6i.xlarge"}


def access(**more):
    described = {
        "cloud": "aws", "name": "cfd", "region": "us-east-2", "zone": "use2-az2",
        "network": {"cidr": "10.20.0.0/16", "ssh_from": ["203.0.113.0/24"]}, "head_node": HEAD,
        "queues": [{"name": "q", "machine": "c7i.large", "max": 1}],
    }  # fmt: skip
    return access_of(load_cluster({**described, **more}))


def test_people_log_in_to_login_nodes_or_to_the_head_node_if_there_are_no_others() -> None:
    login = {"machine": "m6i.large", "min": 1, "max": 2, "public": True, "max_sessions_per_user": 4}
    found = access(login_nodes=login)["login"]
    assert found == {"at": "login nodes", "public": True, "from": ["203.0.113.0/24"], "sessions": 4, "other": []}
    found = access(head_node={**HEAD, "public": True})["login"]
    assert found == {"at": "head node", "public": True, "from": ["203.0.113.0/24"], "sessions": None, "other": []}


def test_nobody_is_let_in() -> None:
    network = {"cidr": "10.20.0.0/16", "ssh_from": []}
    assert login_words(access(network=network)) == "SSH is closed (network.ssh_from is empty)."


def test_other_ways_to_log_in_follow_ssh() -> None:
    network = {"cidr": "10.20.0.0/16", "ssh_from": []}
    said = login_words(access(network=network, session_manager={}))
    assert said.startswith("SSH is closed (network.ssh_from is empty). Session Manager lets users ")
    earlier = {"login": {"at": "head node", "public": False, "from": [], "sessions": None}}
    assert login_words(earlier) == "SSH is closed (network.ssh_from is empty)."


def test_times_and_who_may_use_a_queue_are_in_slurms_words() -> None:
    queue = {
        "name": "q", "machine": "c7i.large", "max": 1,
        "slurm": {"maxtime": "7-0", "DefaultTime": "1-0", "AllowGroups": "staff", "AllowAccounts": "ALL"},
    }  # fmt: skip
    [found] = access(queues=[queue])["queues"]
    assert found == {"queue": "q", "max_time": "7-0", "default_time": "1-0", "qos": None, "only": ["groups staff"]}


ACCOUNTING = {
    "qos": {"long": {"max_wall": "14d", "max_tres_per_user": {"node": 8}}},
    "accounts": {"b": {"users": ["bob", "eve"], "qos": ["long"]}, "a": {"users": ["eve"], "parent": "b"}},
}


def test_accounts_and_qos_are_listed() -> None:
    found = access(slurm={"accounting": ACCOUNTING})
    assert [each["account"] for each in found["accounts"]] == ["a", "b"]
    assert found["accounts"][1]["default_for"] == ["bob"]
    [qos] = found["qos"]
    assert (qos["qos"], qos["max_wall"], qos["max_per_user"]) == ("long", "14d", {"node": 8})


@pytest.mark.parametrize(
    ("more", "limit"),
    [({}, "no limit"), ({"slurm": {"accounting": ACCOUNTING}}, "set by the job's QoS")],
)
def test_a_queue_without_a_limit_has_that_of_accounts(more, limit) -> None:
    found = access(**more)
    assert longest_job(found["queues"][0], found) == limit


def test_a_document_without_access_can_still_be_read() -> None:
    cost = {"hour": 0, "month": 0, "at_least": False}
    document = {
        "plan": 1, "stack": "s", "cloud": "aws", "cluster": "c", "region": "r", "resources": [], "outputs": {},
        "cost": {"idle": cost, "full": cost, "lines": [], "queues": []}, "quota": [], "findings": [],
    }  # fmt: skip
    assert Plan.from_json(json.dumps(document)).access is None
