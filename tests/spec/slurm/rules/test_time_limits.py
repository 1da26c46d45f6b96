import pytest

from hpc_components.spec.findings import Level

from ...rules.judged import levels, paths, problems, queue

LIMITED = {"qos": {"normal": {"max_wall": "2d"}, "endless": {}}, "accounts": {"a": {"users": ["alice"]}}}


def accounts(**accounts):
    return {"accounting": LIMITED | {"accounts": accounts}}


def test_one_finding_names_all_queues_without_an_end():
    limited = queue(name="short", slurm={"maxtime": "1-0"})
    (problem,) = problems("HPC-SLM-025", queues=[limited, queue(name="cpu"), queue(name="gpu")])
    assert problem.path == ("queues", 1)
    assert "jobs in cpu or gpu have no time limit" in problem.reason
    assert levels("HPC-SLM-025") == [Level.INFO]


@pytest.mark.parametrize(
    ("value", "limited"), [(60, True), ("7-0", True), ("INFINITE", False), ("UNLIMITED", False), ("-1", False)]
)
def test_a_queue_without_a_maximum_time_is_found(value, limited):
    assert bool(paths("HPC-SLM-025", queues=[queue(slurm={"MaxTime": value})])) is not limited


@pytest.mark.parametrize(
    ("of", "limited"),
    [
        ({"a": {}}, True),
        ({"a": {"qos": ["normal"]}}, True),
        ({"a": {"qos": ["normal", "endless"]}}, False),
        ({"a": {"qos": ["normal"]}, "b": {"qos": ["endless"]}}, False),
        ({"a": {"qos": ["endless"]}, "b": {"parent": "a"}}, False),
        ({"a": {"qos": ["normal"]}, "b": {"parent": "a"}}, True),
        ({"a": {"parent": "b"}, "b": {"parent": "a"}}, True),
    ],
)
def test_a_qos_of_accounts_can_limit_the_time(of, limited):
    assert bool(paths("HPC-SLM-025", slurm=accounts(**of))) is not limited


def test_qos_of_nobody_is_no_limit():
    assert paths("HPC-SLM-025", slurm=accounts()) == ["queues[0]"]
    assert paths("HPC-SLM-025", slurm={"accounting": {"accounts": {"a": {}}}}) == ["queues[0]"]


def test_a_qos_of_the_queue_can_limit_the_time():
    slurm = accounts(a={"qos": ["endless"]})
    assert not paths("HPC-SLM-025", slurm=slurm, queues=[queue(qos="normal")])
    assert paths("HPC-SLM-025", slurm=slurm, queues=[queue(qos="endless")]) == ["queues[0]"]
    assert paths("HPC-SLM-025", slurm={"accounting": {"qos": LIMITED["qos"]}}, queues=[queue(qos="normal")])


@pytest.mark.parametrize(
    ("keys", "found"),
    [
        ({"MaxTime": 0}, [Level.ERROR]),
        ({"MaxTime": "0:00:00"}, [Level.ERROR]),
        ({"DefaultTime": 0, "MaxTime": 60}, [Level.ERROR]),
        ({"MaxTime": 7}, [Level.WARNING]),
        ({"MaxTime": 10}, []),
        ({"MaxTime": "0:05:00"}, []),
        ({"MaxTime": "7-0"}, []),
        ({"MaxTime": "INFINITE", "DefaultTime": 1}, []),
    ],
)
def test_a_default_of_next_to_no_time_is_found(keys, found):
    assert levels("HPC-SLM-017", queues=[queue(slurm=keys)]) == found


def two(qos, accounts=None):
    return {"accounting": {"qos": qos, "accounts": accounts or {"a": {"users": ["alice"], "qos": [*qos]}}}}


@pytest.mark.parametrize(
    ("wall", "longest", "right"),
    [("2d", "2-0", True), ("49h", "2-0", False), ("14d", "INFINITE", True), ("1d", "7-0", True), ("14d", "0", True)],
)
def test_a_qos_must_allow_the_longest_job(wall, longest, right):
    keys = {"MaxTime": longest, "DefaultTime": 60}
    found = paths("HPC-ACC-017", slurm=two({"long": {"max_wall": wall}}), queues=[queue(slurm=keys)])
    assert found == ([] if right else ["slurm.accounting.qos.long.max_wall"])


def test_one_queue_that_takes_it_is_enough():
    short, longer = queue(name="a", slurm={"MaxTime": 60}), queue(name="b", slurm={"MaxTime": "7-0"})
    slurm = two({"long": {"max_wall": "7d"}})
    assert not paths("HPC-ACC-017", slurm=slurm, queues=[short, longer])
    (problem,) = problems("HPC-ACC-017", slurm=slurm, queues=[short, longer | {"slurm": {"MaxTime": "36:00:00"}}])
    assert problem.remedy == "use max_wall: 36h, or raise MaxTime of queue b"
    kept_out = longer | {"slurm": {"MaxTime": "7-0", "DenyQos": "long"}}
    assert paths("HPC-ACC-017", slurm=slurm, queues=[short, kept_out])


def test_a_qos_may_lift_the_limit_of_the_queue():
    queues = [queue(slurm={"MaxTime": 60})]
    qos = {"long": {"max_wall": "7d", "flags": ["PartitionTimeLimit"]}}
    assert not paths("HPC-ACC-017", slurm=two(qos), queues=queues)


def test_the_queues_own_qos_goes_before_that_of_the_job():
    cap = {"cap": {"max_wall": "1d"}, "long": {"max_wall": "7d"}}
    accounts = {"a": {"users": ["alice"], "qos": ["long"]}}
    assert paths("HPC-ACC-017", slurm=two(cap, accounts), queues=[queue(qos="cap")]) == [
        "slurm.accounting.qos.long.max_wall"
    ]
    over = cap | {"long": {"max_wall": "7d", "flags": ["OverPartQOS"]}}
    assert not paths("HPC-ACC-017", slurm=two(over, accounts), queues=[queue(qos="cap")])


def test_a_qos_of_no_account_is_judged_by_the_queues_that_have_it():
    accounts = {"a": {"users": ["alice"]}}
    slurm = two({"cap": {"max_wall": "7d"}}, accounts)
    keys = {"slurm": {"MaxTime": 60}}
    assert paths("HPC-ACC-017", slurm=slurm, queues=[queue(qos="cap", **keys), queue(name="b")])
    assert not paths("HPC-ACC-017", slurm=slurm, queues=[queue(**keys)])


@pytest.mark.parametrize(
    ("default", "qos", "found"),
    [
        ("1-0", ["normal"], False),
        ("2-0", ["normal"], False),
        ("2-1", ["normal"], True),
        ("7-0", ["endless", "normal"], False),
        ("7-0", [], True),
    ],
)
def test_the_qos_must_allow_the_default_time(default, qos, found):
    slurm = accounts(a={"users": ["alice"], "qos": qos})
    queues = [queue(slurm={"MaxTime": "7-0", "DefaultTime": default})]
    assert bool(paths("HPC-ACC-018", slurm=slurm, queues=queues)) is found
    kept_out = [queue(slurm={"MaxTime": "7-0", "DefaultTime": default, "DenyQos": "normal"})]
    assert not paths("HPC-ACC-018", slurm=slurm, queues=kept_out)


def test_the_remedy_of_one_rule_is_no_way_around_the_other():
    slurm = two({"long": {"max_wall": "14d"}})
    (problem,) = problems("HPC-ACC-009", slurm=slurm, queues=[queue(slurm={"MaxTime": "2-0"})])
    assert problem.remedy == "add DefaultTime: 2-0 to the queue"
    followed = [queue(slurm={"MaxTime": "2-0", "DefaultTime": "2-0"})]
    assert not paths("HPC-ACC-009", slurm=slurm, queues=followed)
    assert paths("HPC-ACC-017", slurm=slurm, queues=followed)


@pytest.mark.parametrize(
    ("text", "told"),
    [("24:00", True), ("8:00", True), ("24:00:00", False), ("1-00:00", False), ("2:30", False), ("90", False)],
)
def test_two_parts_are_minutes(text, told):
    found = levels("HPC-SLM-036", queues=[queue(slurm={"MaxTime": text, "DefaultTime": "1-0"})])
    assert found == ([Level.INFO] if told else [])


def test_quotes_are_no_part_of_a_time():
    slurm = {"accounting": {"accounts": {"chem": {"users": ["alice"]}}, "qos": {"long": {"max_wall": "9d"}}}}
    assert paths("HPC-ACC-009", slurm=slurm, queues=[queue(slurm={"MaxTime": '"7-0"'})])


@pytest.mark.parametrize(
    ("default", "longest", "right"),
    [(60, 60, True), (61, 60, False), ("1-0", "24:00:00", True), ("INFINITE", 60, False), ("2d", 60, True)],
)
def test_the_default_time_must_not_exceed_the_maximum(default, longest, right):
    found = paths("HPC-SLM-017", queues=[queue(slurm={"DefaultTime": default, "maxtime": longest})])
    assert found == ([] if right else ["queues[0].slurm.DefaultTime"])
