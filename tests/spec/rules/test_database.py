import pytest

from hpc_components.spec.findings import Level
from tests.spec.rules.judged import levels, paths, problems

SECRET = "arn:aws:secretsmanager:us-east-2:123456789012:secret:slurm-db-AbCdEf"


def database(**changes):
    return {"accounting": {"database": {"host": "db.example.org", "password_secret": SECRET} | changes}}


@pytest.mark.parametrize(
    ("host", "found"),
    [
        ("localhost", [Level.ERROR]),
        ("127.0.0.1", [Level.ERROR]),
        ("localhosting.example.org", []),
        ("x.abcdefghijkl.us-east-2.rds.amazonaws.com", []),
        ("x.abcdefghijkl.eu-west-1.rds.amazonaws.com", [Level.WARNING]),
    ],
)
def test_a_host_without_a_database_is_found(host, found):
    assert levels("HPC-SLM-011", slurm=database(host=host)) == found


@pytest.mark.parametrize("host", ["db", "db.example.org", "10.0.0.7", "db-1.x"])
def test_a_right_database_host_is_accepted(host):
    assert not paths("HPC-SLM-011", slurm=database(host=host))


@pytest.mark.parametrize(
    ("host", "remedy"),
    [
        ("mysql://u:p@db.example.org:3307/slurm", "write host: db.example.org and port: 3307"),
        ("db.example.org:3306", "write host: db.example.org and port: 3306"),
        ("db.example.org/slurm", "write host: db.example.org"),
    ],
)
def test_a_host_with_more_than_its_name_is_found(host, remedy):
    (problem,) = problems("HPC-SLM-011", slurm=database(host=host))
    assert problem.remedy == remedy


def test_a_password_is_never_repeated():
    (problem,) = problems("HPC-SLM-013", slurm=database(password_secret="hunter2"))
    assert "hunter2" not in f"{problem.reason}{problem.remedy}{problem.value}"


@pytest.mark.parametrize(
    ("secret", "right"),
    [
        (SECRET, True),
        (SECRET.replace("us-east-2", "eu-west-1"), False),
        (SECRET.replace("secretsmanager", "ssm"), False),
        (SECRET.replace(":secret:", ":"), False),
    ],
)
def test_a_database_password_must_be_a_secret(secret, right):
    assert bool(paths("HPC-SLM-013", slurm=database(password_secret=secret))) is not right
