import pytest

from hpc_components.spec.findings import Level

from .judged import levels, paths, problems, queue

LIMITED = {"qos": {"normal": {"max_wall": "2d"}, "endless": {}}, "accounts": {"a": {"users": ["alice"]}}}


def accounts(**accounts):
    return {"accounting": LIMITED | {"accounts": accounts}}


def test_one_finding_names_all_queues_without_an_end():
    limited = queue(name="short", slurm={"maxtime": "1-0"})
    (problem,) = problems("HPC-SLM-025", queues=[limited, queue(name="cpu"), queue(name="gpu")])
    assert problem.path == ("queues", 1)
    assert "a job of cpu or gpu may run for ever" in problem.reason
    assert levels("HPC-SLM-025") == [Level.INFO]


@pytest.mark.parametrize(
    ("value", "limited"), [(60, True), ("7-0", True), ("INFINITE", False), ("UNLIMITED", False), ("-1", False)]
)
def test_max_time(value, limited):
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
def test_qos_of_accounts(of, limited):
    assert bool(paths("HPC-SLM-025", slurm=accounts(**of))) is not limited


def test_qos_of_nobody_is_no_limit():
    assert paths("HPC-SLM-025", slurm=accounts()) == ["queues[0]"]
    assert paths("HPC-SLM-025", slurm={"accounting": {"accounts": {"a": {}}}}) == ["queues[0]"]


def test_qos_of_the_queue():
    slurm = accounts(a={"qos": ["endless"]})
    assert not paths("HPC-SLM-025", slurm=slurm, queues=[queue(qos="normal")])
    assert paths("HPC-SLM-025", slurm=slurm, queues=[queue(qos="endless")]) == ["queues[0]"]
    assert paths("HPC-SLM-025", slurm={"accounting": {"qos": LIMITED["qos"]}}, queues=[queue(qos="normal")])
