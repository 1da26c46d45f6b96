import pytest

from hpc_components.spec.bucket_access import bucket_access, places
from hpc_components.spec.findings import Level
from tests.spec.rules.judged import cluster, levels, paths, problems, queue

LOGIN = {"machine": "c6i.xlarge"}


def s3(**changes):
    return {"data": {"type": "s3"} | changes}


@pytest.mark.parametrize(
    ("said", "login", "cpu"),
    [
        ({}, "write", "write"),
        ({"read_from": ["cpu"]}, None, "write"),
        ({"read_from": []}, None, None),
        ({"write_from": ["login"]}, "write", "read"),
        ({"write_from": []}, "read", "read"),
        ({"read_from": ["cpu"], "write_from": []}, None, "read"),
        ({"read_from": [], "write_from": ["login"]}, "write", None),
    ],
)
def test_each_place_has_the_access_that_is_described(said, login, cpu):
    described = cluster(buckets=s3(**said))
    assert places(described) == ("login", "cpu")
    assert [bucket_access(described.buckets["data"], place) for place in places(described)] == [login, cpu]


def test_places_that_are_not_there():
    assert not paths("HPC-BKT-013", buckets=s3(read_from=["login", "cpu"], write_from=[]))
    (problem,) = problems("HPC-BKT-013", buckets=s3(write_from=["cpus"]))
    assert (problem.path, problem.remedy) == (("buckets", "data", "write_from", 0), "did you mean cpu?")
    (problem,) = problems("HPC-BKT-013", buckets=s3(read_from=["everybody"]))
    assert problem.remedy == "use login or cpu"


def test_an_own_instance_profile_cannot_lend_a_role():
    own = {"login_nodes": LOGIN | {"instance_profile": "ours"}}
    assert levels("HPC-BKT-014", buckets=s3(), **own) == [Level.WARNING]
    assert not levels("HPC-BKT-014", buckets=s3(read_from=["cpu"]), **own)
    assert not levels("HPC-BKT-014", **own)
    assert levels("HPC-BKT-014", buckets=s3(), queues=[queue(instance_profile="ours")]) == [Level.INFO]
    head = {"machine": "c6i.xlarge", "instance_profile": "ours"}
    assert paths("HPC-BKT-014", buckets=s3(), head_node=head) == ["head_node.instance_profile"]
    assert not paths("HPC-BKT-014", buckets=s3(), head_node=head, login_nodes=LOGIN)


def test_as_many_buckets_as_fit():
    buckets = {f"measurements-of-the-lab-{number}": {"type": "s3"} for number in range(60)}
    assert paths("HPC-BKT-015", buckets=buckets) == ["buckets"]
    assert not paths("HPC-BKT-015", buckets=dict(list(buckets.items())[:50]))
    assert not paths("HPC-BKT-015", buckets={key: {"type": "s3", "read_from": []} for key in buckets})
    assert not paths("HPC-BKT-015", buckets={"data": {"type": "s3_express", "shards": 100}})


def test_sts_is_needed_for_buckets_without_nat():
    endpoints = ["s3", "ec2", "secretsmanager", "ssm", "ssmmessages", "logs"]
    network = {"cidr": "10.20.0.0/16", "nat": "none", "endpoints": endpoints}
    (problem,) = problems("HPC-NET-015", network=network, buckets=s3())
    assert "no endpoint for sts (sts: nodes assume the role" in problem.reason
    assert not problems("HPC-NET-015", network=network, buckets=s3(read_from=[]))
    assert not problems("HPC-NET-015", network=network | {"endpoints": [*endpoints, "sts"]}, buckets=s3())


def test_a_role_path_must_fit_into_the_policy():
    assert not paths("HPC-BKT-016", buckets=s3(), iam={"role_path": "/research/"})
    deep = {"role_path": "/" + "r" * 200 + "/"}
    (problem,) = problems("HPC-BKT-016", buckets=s3(), iam=deep)
    most = int(problem.remedy.removeprefix("use at most ").removesuffix(" characters"))
    assert not paths("HPC-BKT-016", buckets=s3(), iam={"role_path": "/" + "r" * (most - 2) + "/"})
    assert not paths("HPC-BKT-016", iam=deep)
