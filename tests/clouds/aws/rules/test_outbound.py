import pytest

from hpc_components.spec.findings import Level
from tests.spec.rules.judged import existing, levels, paths, problems, queue

CIDR = "10.20.0.0/16"
ALL = ["s3", "ec2", "secretsmanager", "ssm", "ssmmessages", "logs"]


def network(**changes):
    return {"cidr": CIDR} | changes


def test_without_nat_all_endpoints_are_needed():
    assert not paths("HPC-NET-015", network=network(nat="none", endpoints=ALL))
    for missing in ALL:
        (problem,) = problems("HPC-NET-015", network=network(nat="none", endpoints=[e for e in ALL if e != missing]))
        assert f"no endpoint for {missing} (" in problem.reason


def test_public_head_node_reaches_ec2_by_itself():
    without = [e for e in ALL if e != "ec2"]
    public = {"machine": "c6i.xlarge", "public": True}
    assert not paths("HPC-NET-015", network=network(nat="none", endpoints=without), head_node=public)


@pytest.mark.parametrize("nat", ["one", "per_zone"])
def test_with_nat_no_endpoint_is_needed(nat):
    assert not paths("HPC-NET-015", network=network(nat=nat, endpoints=[]))


def test_what_an_existing_network_has_is_not_known():
    assert not paths("HPC-NET-015", network=existing() | {"nat": "none"})


def test_images_make_up_for_nat():
    image = "ami-0123456789abcdef0"
    head, queues = {"machine": "c6i.xlarge", "image": image}, [queue(image=image)]
    assert not paths("HPC-NET-016", network=network(nat="none"), head_node=head, queues=queues)
    (problem,) = problems("HPC-NET-016", network=network(nat="none"), head_node=head)
    assert problem.reason.startswith("queue cpu ")
    login = {"machine": "m6i.large", "image": image}
    (problem,) = problems("HPC-NET-016", network=network(nat="none"), login_nodes=login)
    assert problem.reason.startswith("head_node, queue cpu ")
    public = {"machine": "c6i.xlarge", "public": True}
    assert not paths("HPC-NET-016", network=network(nat="none"), head_node=public, queues=queues)


def test_plain_images_are_right_with_nat_and_in_networks_that_are_there():
    assert not paths("HPC-NET-016")
    assert not paths("HPC-NET-016", network=existing() | {"nat": "none"})


def test_unknown_service_is_an_error_only_if_misspelt():
    assert levels("HPC-NET-017", network=network(endpoints=["ssmmessage"])) == [Level.ERROR]
    assert levels("HPC-NET-017", network=network(endpoints=["bedrock-runtime-fips"])) == [Level.WARNING]
    assert not levels("HPC-NET-017", network=network(endpoints=ALL))


def test_cost_counts_endpoints_and_zones():
    queues = [queue(zones=["use2-az1", "use2-az3"])]
    (problem,) = problems("HPC-NET-019", network=network(endpoints=["s3", "ssm", "logs"]), queues=queues)
    assert "in 3 zones: 6 endpoints" in problem.reason
    assert "44 USD per month" in problem.reason
    assert not paths("HPC-NET-019", network=network(endpoints=["s3", "dynamodb"]))
    assert not paths("HPC-NET-019", network=existing() | {"endpoints": ["ssm"]})


def test_nat_gateways_must_match_the_zones():
    two = [queue(zones=["use2-az1", "use2-az2"])]
    assert not paths("HPC-NET-021")
    assert not paths("HPC-NET-021", network=existing(), queues=two)
    assert paths("HPC-NET-021", queues=two) == ["network.nat"]
    assert not paths("HPC-NET-021", network=network(nat="per_zone"), queues=two)


@pytest.mark.parametrize(("kept", "instead"), [("2d", "3d"), ("12h", "1d"), ("8d", "14d"), ("9999d", "3653d")])
def test_flow_logs_are_rounded_up(kept, instead):
    (problem,) = problems("HPC-NET-022", network=network(flow_logs=kept))
    assert problem.remedy.startswith(f"use {instead} or another ")


def test_a_known_retention_of_flow_logs_is_accepted():
    assert not paths("HPC-NET-022", network=network(flow_logs="30d"))


def test_endpoints_without_that_of_s3_are_found():
    assert paths("HPC-NET-023", network=network(endpoints=["ssm"])) == ["network.endpoints"]
    assert not paths("HPC-NET-023")
    assert not paths("HPC-NET-023", network=existing() | {"endpoints": []})
    assert not paths("HPC-NET-023", network=network(endpoints=[], nat="none"))
