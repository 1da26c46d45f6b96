import pytest

from hpc_components.spec.findings import Level

from ...rules.judged import levels, paths

SECRET = "arn:aws:secretsmanager:us-east-2:123456789012:secret:slurm-db-AbCdEf"


def database(**changes):
    return {"accounting": {"database": {"host": "db.example.org", "password_secret": SECRET} | changes}}


@pytest.mark.parametrize(
    ("port", "found"),
    [
        (1, []),
        (65535, []),
        (0, [Level.ERROR]),
        (65536, [Level.ERROR]),
        (6817, [Level.WARNING]),
        (6820, [Level.WARNING]),
        (6821, []),
        (3306, []),
        (3307, []),
        (5432, [Level.WARNING]),
    ],
)
def test_a_wrong_database_port_is_found(port, found):
    assert levels("HPC-SLM-012", slurm=database(port=port)) == found


def test_names_of_the_database():
    assert not paths("HPC-SLM-014", slurm=database())
    assert paths("HPC-SLM-014", slurm=database(user="u" * 33, name="a b")) == [
        "slurm.accounting.database.user",
        "slurm.accounting.database.name",
    ]
