import pytest

from ...rules.judged import paths, problems, queue

USERS = {"nlp": {"users": ["alice"], "qos": ["normal"]}}


def gpus(name="gpu", **changes):
    return queue(name=name, machine="g6.48xlarge", gpu_sharing={"shards": 4}) | changes


def limits(accounts=USERS, **qos):
    return {
        "accounting": {"accounts": accounts, "qos": {name: {"max_tres_per_user": of} for name, of in qos.items()}}
    }


def test_shares_are_limited_too():
    (problem,) = problems(
        "HPC-ACC-013", slurm=limits(normal={"gres/gpu": 32}), queues=[gpus("a"), queue(), gpus("b")]
    )
    assert problem.path == ("slurm", "accounting", "qos", "normal", "max_tres_per_user", "gres/gpu")
    assert problem.remedy == "add gres/shard: 128 (4 per GPU)"
    assert "all GPUs of queue a or b" in problem.reason
    assert not paths("HPC-ACC-013", slurm=limits(normal={"gres/gpu": 32, "gres/shard": 128}), queues=[gpus()])


@pytest.mark.parametrize(
    ("slurm", "shared", "found"),
    [
        (limits(normal={"gres/gpu": 2}), queue(machine="g6.48xlarge"), []),
        (limits(normal={"gres/gpu": 2}, accounts={}), gpus(), []),
        (limits(normal={"cpu": 2}), gpus(), []),
        (limits(normal={"gres/gpu:l4": 2}), gpus(), ["normal.max_tres_per_user.gres/gpu:l4"]),
        (limits(normal={"gres/gpu": 2}), gpus(gpu_sharing={"mps": 100}), ["normal.max_tres_per_user.gres/gpu"]),
        (limits(normal={"gres/gpu": 2, "gres/mps": 200}), gpus(gpu_sharing={"mps": 100}), []),
        (limits(big={"gres/gpu": 2}), gpus(), []),
        (limits(big={"gres/gpu": 2}), gpus(qos="big"), ["big.max_tres_per_user.gres/gpu"]),
        (limits(normal={"gres/gpu": 2}, big={"gres/shard": 8}), gpus(qos="big"), []),
    ],
)
def test_where_shares_are_free(slurm, shared, found):
    assert paths("HPC-ACC-013", slurm=slurm, queues=[shared]) == [f"slurm.accounting.qos.{path}" for path in found]


@pytest.mark.parametrize(
    ("value", "right"),
    [("associations,limits,qos,safe", True), ("limits,WCKeys", False), ("all", False), ("nojobs", True)],
)
def test_enforcing_workload_keys_is_found(value, right):
    settings = {"settings": {"accountingstorageenforce": value}}
    found = paths("HPC-ACC-014", slurm={"accounting": {"accounts": USERS}} | settings)
    assert found == ([] if right else ["slurm.settings.accountingstorageenforce"])
    assert not paths("HPC-ACC-014", slurm=settings)


BELOW = {
    "science": {},
    "nlp": {"parent": "science", "users": ["alice"]},
    "speech": {"parent": "nlp", "users": ["bob"]},
    "empty": {"parent": "science"},
    "art": {"users": ["carol"]},
}


@pytest.mark.parametrize(
    ("key", "value", "remedy"),
    [
        ("AllowAccounts", "science", "write science,nlp,speech;"),
        ("denyaccounts", "Nlp", "write nlp,speech;"),
        ("AllowAccounts", "science,nlp,speech", None),
        ("AllowAccounts", "art", None),
        ("AllowAccounts", "ALL", None),
        ("AllowQos", "science", None),
    ],
)
def test_a_queue_must_name_accounts_below_those_it_lets_in(key, value, remedy):
    queues, accounting = [queue(slurm={key: value})], {"accounting": {"accounts": BELOW}}
    found = problems("HPC-ACC-015", queues=queues, slurm=accounting | {"version": "22.05"})
    assert [each.path for each in found] == ([("queues", 0, "slurm", key)] if remedy else [])
    assert all(each.remedy.startswith(remedy) for each in found)
    assert not paths("HPC-ACC-015", queues=queues, slurm=accounting | {"version": "23.11"})


def test_accounts_above_themselves_end():
    ring = {"a": {"parent": "b", "users": ["alice"]}, "b": {"parent": "a"}}
    slurm = {"version": "22.05", "accounting": {"accounts": ring}}
    assert paths("HPC-ACC-015", queues=[queue(slurm={"AllowAccounts": "b"})], slurm=slurm)


def user_limits(**tres):
    return limits(normal=tres)


@pytest.mark.parametrize(
    ("tres", "right"),
    [
        ({"mem": 768}, False), ({"mem": 2000}, True), ({"mem": 786432}, True), ({"mem": 0}, True),
        ({"mem": 4096, "cpu": 512}, False), ({"mem": 64000, "cpu": 512}, True), ({"cpu": 512}, True),
    ],
)  # fmt: skip
def test_a_users_memory_limit_must_match_the_cpus(tres, right):
    found = paths("HPC-ACC-019", slurm=user_limits(**tres))
    assert found == ([] if right else ["slurm.accounting.qos.normal.max_tres_per_user.mem"])


def test_memory_is_compared_with_the_queue_that_has_the_least():
    large = queue(machine="r7i.4xlarge")
    assert paths("HPC-ACC-019", slurm=user_limits(mem=4000), queues=[large])
    assert not paths("HPC-ACC-019", slurm=user_limits(mem=4000), queues=[large, queue(name="small")])
    assert not paths("HPC-ACC-019", slurm=user_limits(mem=1), queues=[queue(machine="x1.nonsense")])


@pytest.mark.parametrize("kind", ["cpu", "mem", "node", "billing"])
def test_nothing_is_not_no_limit(kind):
    (problem,) = problems("HPC-ACC-020", slurm=limits(normal={kind: 0}))
    assert problem.path[-1] == kind
    assert not paths("HPC-ACC-020", slurm=limits(normal={kind: 1}))
    assert not paths("HPC-ACC-020", slurm=limits(normal={"gres/gpu": 0})), "who has no GPUs has CPUs"
