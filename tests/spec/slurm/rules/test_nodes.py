import pytest

from hpc_components.catalog import machine, real_memory_mib
from hpc_components.spec.findings import Level

from ...rules.judged import levels, paths, problems, queue

SECRET = "arn:aws:secretsmanager:us-east-2:123456789012:secret:slurm-db-AbCdEf"


def database(**changes):
    return {"accounting": {"database": {"host": "db.example.org", "password_secret": SECRET} | changes}}


def test_keys_of_accounts():
    fatal = [queue(qos="gold")]
    assert levels("HPC-SLM-009", queues=fatal) == [Level.ERROR]
    assert paths("HPC-SLM-009", queues=fatal) == ["queues[0].qos"]
    assert levels("HPC-SLM-009", queues=[queue(slurm={"AllowAccounts": "a"})]) == [Level.WARNING]
    assert levels("HPC-SLM-009", slurm={"settings": {"accountingstorageenforce": "limits"}}) == [Level.WARNING]
    assert levels("HPC-SLM-009", slurm={"settings": {"PriorityWeightAge": 10}}) == [Level.WARNING]
    assert not levels("HPC-SLM-009", queues=fatal, slurm={"accounting": {}})
    assert not levels("HPC-SLM-009", slurm={"settings": {"KillWait": 30}})


def test_qos_must_be_there_first():
    fatal = [queue(qos="gold")]
    assert not paths("HPC-SLM-010", queues=fatal)
    assert paths("HPC-SLM-010", queues=fatal, slurm={"accounting": {}}) == ["queues[0].qos"]
    (problem,) = problems("HPC-SLM-010", queues=fatal, slurm={"accounting": {"qos": {"golden": {}}}})
    assert problem.remedy == "did you mean golden?"
    assert not paths("HPC-SLM-010", queues=fatal, slurm={"accounting": {"qos": {"gold": {}}}})
    assert not paths("HPC-SLM-010", queues=[queue(qos="normal")], slurm={"accounting": {}})
    assert not paths("HPC-SLM-010", queues=[queue(slurm={"MaxTime": 60})], slurm={"accounting": {}})


def test_qos_of_a_queue_is_said_in_one_place():
    (problem,) = problems("HPC-SLM-004", queues=[queue(slurm={"QOS": "gold"})], slurm={"accounting": {}})
    assert problem.remedy == "set the queue's qos"


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
def test_hosts_without_the_database(host, found):
    assert levels("HPC-SLM-011", slurm=database(host=host)) == found


@pytest.mark.parametrize("host", ["db", "db.example.org", "10.0.0.7", "db-1.x"])
def test_right_hosts(host):
    assert not paths("HPC-SLM-011", slurm=database(host=host))


@pytest.mark.parametrize(
    ("host", "remedy"),
    [
        ("mysql://u:p@db.example.org:3307/slurm", "write host: db.example.org and port: 3307"),
        ("db.example.org:3306", "write host: db.example.org and port: 3306"),
        ("db.example.org/slurm", "write host: db.example.org"),
    ],
)
def test_hosts_with_more(host, remedy):
    (problem,) = problems("HPC-SLM-011", slurm=database(host=host))
    assert problem.remedy == remedy


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
def test_port(port, found):
    assert levels("HPC-SLM-012", slurm=database(port=port)) == found


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
def test_secret(secret, right):
    assert bool(paths("HPC-SLM-013", slurm=database(password_secret=secret))) is not right


def test_names_of_the_database():
    assert not paths("HPC-SLM-014", slurm=database())
    assert paths("HPC-SLM-014", slurm=database(user="u" * 33, name="a b")) == [
        "slurm.accounting.database.user",
        "slurm.accounting.database.name",
    ]


@pytest.mark.parametrize(("source", "right"), [
    ("s3://b/p", True), ("https://h/p", True), ("https://h", True), ("http://h/p", False), ("h/p", False),
    ("s3://", False), ("file:///x", False),
])  # fmt: skip
def test_package_source(source, right):
    assert bool(paths("HPC-SLM-015", slurm={"package_source": source})) is not right


@pytest.mark.parametrize(
    ("time", "right"), [("60s", True), ("59s", False), ("0s", False), ("1d", True), ("25h", False)]
)
def test_idle_time(time, right):
    assert bool(paths("HPC-SLM-016", slurm={"idle_time": time})) is not right
    assert bool(paths("HPC-SLM-016", queues=[queue(idle_time=time)])) is not right


@pytest.mark.parametrize(
    ("default", "longest", "right"),
    [(60, 60, True), (61, 60, False), ("1-0", "24:00:00", True), ("INFINITE", 60, False), ("2d", 60, True)],
)
def test_default_time(default, longest, right):
    found = paths("HPC-SLM-017", queues=[queue(slurm={"DefaultTime": default, "maxtime": longest})])
    assert found == ([] if right else ["queues[0].slurm.DefaultTime"])


@pytest.mark.parametrize(("least", "right"), [(4, True), (5, False), ("5", False), ("x", True)])
def test_least_nodes(least, right):
    assert bool(paths("HPC-SLM-018", queues=[queue(slurm={"MinNodes": least})])) is not right


def test_default_memory():
    facts = machine("aws", "c7i.4xlarge")
    assert facts is not None
    most = real_memory_mib(facts)
    assert not paths("HPC-SLM-019", queues=[queue(slurm={"DefMemPerNode": most})])
    assert paths("HPC-SLM-019", queues=[queue(slurm={"DefMemPerNode": most + 1})])
    assert paths("HPC-SLM-019", queues=[queue(memory="1GiB", slurm={"DefMemPerNode": 1025})])
    assert not paths("HPC-SLM-019", queues=[queue(machine="x1.nonsense", slurm={"DefMemPerNode": 10**9})])
