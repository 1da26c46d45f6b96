import pytest

from ...rules.judged import paths, problems, queue

TREE = {
    "science": {"qos": ["normal", "long"]},
    "nlp": {"parent": "science", "users": ["alice"]},
    "art": {"users": ["carol"]},
    "empty": {},
}
QOS = {"long": {}, "short": {}}


def described(accounts=TREE, version="23.11"):
    return {"version": version, "accounting": {"accounts": accounts, "qos": QOS}}


@pytest.mark.parametrize(
    ("keys", "found"),
    [
        ({}, False),
        ({"AllowAccounts": "nlp"}, False),
        ({"AllowAccounts": "science"}, False),
        ({"AllowAccounts": "NLP"}, False),
        ({"AllowAccounts": "ALL"}, False),
        ({"AllowAccounts": "root"}, False),
        ({"AllowAccounts": "empty"}, True),
        ({"DenyAccounts": "nlp"}, False),
        ({"DenyAccounts": "science,art"}, True),
        ({"DenyAccounts": "root"}, True),
        ({"AllowQos": "long"}, False),
        ({"AllowQos": "short"}, True),
        ({"DenyQos": "normal"}, False),
        ({"DenyQos": "normal,long"}, True),
        ({"AllowAccounts": "art", "AllowQos": "normal"}, False),
        ({"AllowAccounts": "art", "AllowQos": "long"}, True),
        ({"AllowAccounts": "nobody"}, False),
        ({"MaxTime": 60}, False),
    ],
)
def test_somebody_is_let_in(keys, found):
    assert bool(paths("HPC-ACC-016", queues=[queue(slurm=keys)], slurm=described())) is found


def test_to_slurm_22_05_an_account_is_not_those_below():
    above = [queue(slurm={"AllowAccounts": "science"})]
    assert paths("HPC-ACC-016", queues=above, slurm=described(version="22.05"))


def test_where_nobody_is_described_users_come_later():
    nobody = described(accounts={"nlp": {}, "empty": {}})
    assert not paths("HPC-ACC-016", queues=[queue(slurm={"AllowAccounts": "empty"})], slurm=nobody)


def test_remedies_name_what_would_do():
    (problem,) = problems("HPC-ACC-016", queues=[queue(slurm={"AllowAccounts": "empty"})], slurm=described())
    assert problem.remedy == "admit an account that has users: nlp or art"
    keys = {"AllowAccounts": "art", "AllowQos": "long"}
    (problem,) = problems("HPC-ACC-016", queues=[queue(slurm=keys)], slurm=described())
    assert problem.path == ("queues", 0, "slurm", "AllowQos")


@pytest.mark.parametrize(
    ("accounting", "key", "found"),
    [
        ({}, "AllowQos", False),
        ({"qos": QOS}, "AllowQos", True),
        ({"qos": QOS}, "AllowAccounts", False),
        ({"accounts": TREE}, "DenyAccounts", True),
    ],
)
def test_names_are_judged_where_some_are_described(accounting, key, found):
    stranger = [queue(slurm={key: "stranger"})]
    assert bool(paths("HPC-ACC-010", queues=stranger, slurm={"accounting": accounting})) is found


@pytest.mark.parametrize(
    ("name", "remedy"), [("gpuu", "did you mean gpu?"), ("cpu", "remove Alternate"), ("gpu", None)]
)
def test_an_alternate_queue_must_be_another_one(name, remedy):
    queues = [queue(slurm={"Alternate": name}), queue(name="gpu")]
    found = problems("HPC-SLM-033", queues=queues)
    assert [problem.remedy.startswith(remedy or "") for problem in found] == ([True] if remedy else [])


@pytest.mark.parametrize(
    ("keys", "found"),
    [
        ({"RootOnly": True}, True), ({"rootonly": "YES"}, True), ({"RootOnly": False}, False),
        ({"AllocNodes": "login"}, True), ({"AllocNodes": "ALL"}, False), ({"Hidden": True}, False),
    ],
)  # fmt: skip
def test_a_queue_to_which_nobody_may_submit_is_found(keys, found):
    assert bool(paths("HPC-SLM-035", queues=[queue(slurm=keys)])) is found


def test_quotes_are_no_part_of_a_name():
    slurm = {"accounting": {"accounts": {"chem": {"users": ["alice"]}}}}
    for keys in ({"AllowAccounts": '"chem"'}, {"AllowQos": '"normal"'}):
        assert not paths("HPC-ACC-016", slurm=slurm, queues=[queue(slurm=keys)])
    assert paths("HPC-ACC-016", slurm=slurm, queues=[queue(slurm={"DenyAccounts": '"chem"'})])
