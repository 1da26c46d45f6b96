from typing import Any

import pytest

from tests.spec.rules.judged import paths, problems, queue

ROLE = "arn:aws:iam::999999999999:role/path/results"
LOGIN = {"machine": "c6i.xlarge"}


def said(id: str, *, buckets: dict[str, Any] | None = None, name: str = "acme", **own: Any) -> list[str]:
    one = {"gid": 3101, **(own.pop("organization", {"bucket": True}))}
    return paths(id, organizations={name: one}, buckets=buckets or {}, **own)


@pytest.mark.parametrize(
    ("role", "is_one"),
    [
        (ROLE, True),
        ("arn:aws-cn:iam::999999999999:role/results", True),
        ("results", False),
        ("arn:aws:iam::999999999999:root", False),
        ("arn:aws:iam:::role/results", False),
        ("arn:aws:sts::999999999999:assumed-role/results/ada", False),
    ],
)
def test_an_external_role_is_an_arn_of_a_role(role: str, is_one: bool) -> None:
    found = said("HPC-OWN-001", organization={"external_role": role})
    assert found == ([] if is_one else ["organizations.acme.external_role"])


def test_names_made_of_it_must_fit() -> None:
    most = "w" * (64 - len("cfd-") - 8)
    assert not said("HPC-OWN-002", name=most, organization={"external_role": ROLE})
    assert said("HPC-OWN-002", name=most + "w", organization={"external_role": ROLE})
    assert not said("HPC-OWN-002", name=most + "w", organization={})
    assert not said("HPC-OWN-002", name="acme_labs", organization={"external_role": ROLE})
    assert said("HPC-OWN-002", name="acme_labs") == ["organizations.acme_labs"]


@pytest.mark.parametrize("organization", [{"bucket": True}, {"external_role": ROLE}])
def test_existing_profiles_lend_no_role(organization: dict[str, Any]) -> None:
    own = {"queues": [queue(), queue(name="own", instance_profile="ours")]}
    assert said("HPC-OWN-003", organization=organization, **own) == ["queues[1].instance_profile"]
    login = LOGIN | {"instance_profile": "ours"}
    assert said("HPC-OWN-003", organization=organization, login_nodes=login) == ["login_nodes.instance_profile"]
    head = {"machine": "c6i.xlarge", "instance_profile": "ours"}
    assert said("HPC-OWN-003", organization=organization, head_node=head) == ["head_node.instance_profile"]
    assert not said("HPC-OWN-003", organization=organization, head_node=head, login_nodes=LOGIN)
    assert not said("HPC-OWN-003", organization={}, login_nodes=login, **own)


def test_access_that_a_role_can_not_have_in_one_place_only_is_named() -> None:
    def shared(**access: Any) -> dict[str, Any]:
        return {"data": {"type": "s3"} | access}

    assert not said("HPC-OWN-004", buckets=shared())
    assert not said("HPC-OWN-004", buckets=shared(write_from=[]))
    assert not said("HPC-OWN-004", buckets=shared(read_from=["login"]), organization={})
    changes = {"organizations": {"acme": {"gid": 3101, "bucket": True}}, "buckets": shared(write_from=["login"])}
    (problem,) = problems("HPC-OWN-004", **changes)
    assert "can only read the bucket data, although it gives more access to login" in problem.reason
    changes["buckets"] = shared(read_from=["cpu"])
    (problem,) = problems("HPC-OWN-004", **changes)
    assert "can not use the bucket data, although it gives more access to cpu" in problem.reason


def test_a_queue_of_another_organization_is_no_place_of_it() -> None:
    others = {
        "acme": {"gid": 3101, "bucket": True},
        "birch": {"gid": 3102, "queues": ["cpu"]},
    }
    buckets = {"data": {"type": "s3", "read_from": ["login"]}}
    assert not paths("HPC-OWN-004", organizations=others, buckets=buckets)


def test_the_trust_policy_has_room_for_some_queues() -> None:
    def queues(count: int) -> list[dict[str, Any]]:
        return [queue(name=f"queue-{number:02}") for number in range(count)]

    assert not said("HPC-OWN-006", queues=queues(23))
    assert said("HPC-OWN-006", queues=queues(30)) == ["organizations.acme"]
    given = [f"queue-{number:02}" for number in range(20)]
    others = {"acme": {"gid": 3101, "bucket": True}, "birch": {"gid": 3102, "queues": given}}
    assert not paths("HPC-OWN-006", organizations=others, queues=queues(30))


def test_sts_is_needed_without_nat() -> None:
    endpoints = ["s3", "ec2", "secretsmanager", "ssm", "ssmmessages", "logs"]
    network = {"cidr": "10.20.0.0/16", "nat": "none", "endpoints": endpoints}
    assert said("HPC-NET-015", network=network) == ["network.nat"]
    assert not said("HPC-NET-015", network=network, organization={})
