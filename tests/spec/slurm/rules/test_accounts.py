import pytest

from ...rules.judged import paths, problems, queue


def slurm(qos=None, accounts=None, **changes):
    return {"accounting": {"qos": qos or {}, "accounts": accounts or {}}} | changes


def users(**accounts):
    return {name: {"users": ["alice"]} | account for name, account in accounts.items()}


@pytest.mark.parametrize("name", ["nlp", "computer-vision", "dl_2", "a", "a.b", "a" * 32])
def test_a_right_account_name_is_accepted(name):
    assert not paths("HPC-ACC-001", slurm=slurm(qos={name: {}}, accounts={name: {"users": [name]}}))


@pytest.mark.parametrize("name", ["NLP", "2nd", "a b", "a,b", "", "a" * 33, "$(reboot)", "a;b", "ä", "-a", "a\n"])
def test_a_wrong_account_name_is_found(name):
    wrong = slurm(qos={name: {}}, accounts={name: {"users": ["alice", name]}})
    assert [problem.path[:3] for problem in problems("HPC-ACC-001", slurm=wrong)] == [
        ("slurm", "accounting", "qos"),
        ("slurm", "accounting", "accounts"),
        ("slurm", "accounting", "accounts"),
    ]


def test_root_is_slurms_own():
    assert paths("HPC-ACC-001", slurm=slurm(accounts=users(root={}))) == ["slurm.accounting.accounts.root"]
    assert not paths("HPC-ACC-001", slurm=slurm(accounts={"nlp": {"users": ["root"]}}))


def test_an_unknown_parent_account_is_found():
    accounts = users(science={}, nlp={"parent": "science"}, lost={"parent": "scince"})
    (problem,) = problems("HPC-ACC-002", slurm=slurm(accounts=accounts))
    assert (problem.path[-2:], problem.remedy) == (("lost", "parent"), "did you mean science?")


def test_an_account_cannot_be_above_itself():
    circle = users(a={"parent": "b"}, b={"parent": "c"}, c={"parent": "a"}, d={"parent": "a"}, e={"parent": "e"})
    found = {problem.path[-2] for problem in problems("HPC-ACC-002", slurm=slurm(accounts=circle))}
    assert found == {"a", "b", "c", "e"}


def test_an_unknown_qos_of_an_account_is_found():
    accounts = users(nlp={"qos": ["long", "normal", "lon"]})
    (problem,) = problems("HPC-ACC-003", slurm=slurm(qos={"long": {}}, accounts=accounts))
    assert (problem.path[-1], problem.remedy) == (2, "did you mean long?")


@pytest.mark.parametrize("kind", ["cpu", "mem", "node", "billing", "gres/gpu", "gres/gpu:l4", "gres/shard"])
def test_a_limit_on_what_is_counted_is_accepted(kind):
    qos = {"small": {"max_tres_per_user": {kind: 1}}}
    gpus = queue(machine="g6.48xlarge", gpu_sharing={"shards": 4})
    assert not paths("HPC-ACC-004", queues=[queue(), gpus], slurm=slurm(qos=qos))


@pytest.mark.parametrize("kind", ["gpu", "gres/gpu:h100", "gres/mps", "CPU", "cores"])
def test_a_limit_on_what_is_not_counted_is_found(kind):
    qos = {"small": {"max_tres_per_user": {kind: 1}}}
    gpus = queue(machine="g6.48xlarge", gpu_sharing={"shards": 4})
    assert paths("HPC-ACC-004", queues=[gpus], slurm=slurm(qos=qos))


@pytest.mark.parametrize(
    "settings",
    [{"Licenses": "ansys,Matlab:5"}, {"AccountingStorageTRES": "license/matlab"}, {"licenses": '"matlab:5"'}],
)
def test_licenses_of_the_settings_are_counted(settings):
    qos = {"small": {"max_tres_per_user": {"license/matlab": 2}}}
    assert not paths("HPC-ACC-004", slurm=slurm(qos=qos) | {"settings": settings})


@pytest.mark.parametrize("settings", [{}, {"Licenses": "ansys:5"}])
def test_licenses_that_nothing_declares_are_found(settings):
    qos = {"small": {"max_tres_per_user": {"license/matlab": 2}}}
    (problem,) = problems("HPC-ACC-004", slurm=slurm(qos=qos) | {"settings": settings})
    assert problem.remedy == "declare the license in slurm.settings, e.g. Licenses: matlab:2"


@pytest.mark.parametrize(
    ("qos", "account", "at"),
    [
        ({"priority": -1}, {}, "qos.q.priority"),
        ({"priority": 2**32}, {}, "qos.q.priority"),
        ({"max_tres_per_user": {"cpu": -1}}, {}, "qos.q.max_tres_per_user.cpu"),
        ({"max_wall": "59s"}, {}, "qos.q.max_wall"),
        ({}, {"fairshare": -1}, "accounts.a.fairshare"),
        ({"priority": 0, "max_wall": "1m", "max_tres_per_user": {"cpu": 0}}, {"fairshare": 0}, None),
    ],
)
def test_numbers_of_limits_must_be_in_range(qos, account, at):
    found = paths("HPC-ACC-005", slurm=slurm(qos={"q": qos}, accounts={"a": account}))
    assert found == ([f"slurm.accounting.{at}"] if at else [])


def test_limits_of_a_qos_need_accounts():
    limits = {"bare": {}, "short": {"max_wall": "1h"}}
    assert paths("HPC-ACC-006", slurm=slurm(qos=limits)) == ["slurm.accounting.qos.short"]
    assert not paths("HPC-ACC-006", slurm=slurm(qos=limits, accounts=users(nlp={})))


def test_accounts_without_any_user_are_found():
    assert paths("HPC-ACC-007", slurm=slurm(accounts={"a": {}, "b": {}})) == ["slurm.accounting.accounts"]
    assert not paths("HPC-ACC-007", slurm=slurm(accounts={"a": {}} | users(b={})))
    assert not paths("HPC-ACC-007", slurm=slurm())


def test_a_qos_that_is_never_used_is_found():
    accounts = users(nlp={"qos": ["a"]})
    described = slurm(qos={"a": {}, "b": {}, "c": {}, "normal": {}}, accounts=accounts)
    assert paths("HPC-ACC-008", slurm=described, queues=[queue(qos="b")]) == ["slurm.accounting.qos.c"]


@pytest.mark.parametrize(
    ("keys", "found"),
    [
        ({"MaxTime": 60}, True),
        ({"maxtime": "1:00:00"}, True),
        ({"MaxTime": 60, "DefaultTime": 30}, False),
        ({"MaxTime": "1-00:00:00"}, False),
        ({"MaxTime": "INFINITE"}, False),
        ({"MaxTime": "soon"}, False),
        ({}, False),
    ],
)
def test_a_queue_needs_a_default_time_under_a_longer_qos(keys, found):
    qos = {"normal": {"max_wall": "1d"}, "free": {}}
    assert bool(paths("HPC-ACC-009", slurm=slurm(qos=qos), queues=[queue(slurm=keys)])) == found


@pytest.mark.parametrize(
    ("key", "value", "found"),
    [
        ("AllowAccounts", "nlp,root", 0),
        ("AllowAccounts", "nlp,cv", 1),
        ("DenyAccounts", "x,y", 2),
        ("allowqos", "normal,long", 0),
        ("AllowQos", "lon", 1),
        ("AllowQos", "ALL", 0),
        ("AllowGroups", "x", 0),
    ],
)
def test_unknown_names_in_lists_of_allowed_are_found(key, value, found):
    described = slurm(qos={"long": {}}, accounts=users(nlp={}))
    assert len(paths("HPC-ACC-010", slurm=described, queues=[queue(slurm={key: value})])) == found
    assert not paths("HPC-ACC-010", slurm={"accounting": {}}, queues=[queue(slurm={key: value})])


def test_a_user_has_one_default_account():
    accounts = users(nlp={"default_for": ["alice"]}, vision={}, physics={"users": ["bob"], "default_for": ["bob"]})
    assert not paths("HPC-ACC-012", slurm=slurm(accounts=accounts))
    accounts["vision"]["default_for"] = ["alice", "carol"]
    second, stranger = problems("HPC-ACC-012", slurm=slurm(accounts=accounts))
    assert (second.value, second.reason) == ("alice", "account nlp is also the default account of user alice")
    assert (stranger.path[-3:], stranger.reason) == (
        ("vision", "default_for", 1), "user carol is not one of the users of account vision"
    )  # fmt: skip
