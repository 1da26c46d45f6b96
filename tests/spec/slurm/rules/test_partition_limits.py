import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpc_components.catalog import machine, real_memory_mib
from hpc_components.spec.findings import Level

from ...rules.judged import cluster, levels, paths, problems, queue

C7I = machine("aws", "c7i.4xlarge")
assert C7I is not None
MEMORY, CPUS = real_memory_mib(C7I), C7I.vcpus
"""Of a node of the queue that `queue()` describes."""


def partition(machine="c7i.4xlarge", **keys):
    return [queue(machine=machine, slurm=keys)]


def whole(**keys):
    return {"settings": keys}


@pytest.mark.parametrize(
    ("least", "most", "right"),
    [(4, 4, True), (2, 4, True), (1, "INFINITE", True), (4, 2, False), (3, "2", False), (2, 0, True)],
)
def test_least_nodes_must_not_exceed_most_nodes(least, most, right):
    assert bool(paths("HPC-SLM-018", queues=partition(MinNodes=least, maxnodes=most))) is not right


@pytest.mark.parametrize(
    ("key", "fits"), [("DefMemPerNode", MEMORY), ("DefMemPerCPU", MEMORY // CPUS), ("defmempercpu", MEMORY // CPUS)]
)
def test_default_memory_fits_to_the_last_mebibyte(key, fits):
    assert not paths("HPC-SLM-019", queues=partition(**{key: fits}))
    (problem,) = problems("HPC-SLM-019", queues=partition(**{key: fits + 1}))
    assert problem.path == ("queues", 0, "slurm", key)
    assert problem.remedy == f"use at most {fits}; the unit is MiB"


def test_more_than_a_node_is_worse_than_more_than_a_share():
    assert levels("HPC-SLM-019", queues=partition(DefMemPerCPU=MEMORY // CPUS + 1)) == [Level.WARNING]
    assert levels("HPC-SLM-019", queues=partition(DefMemPerCPU=MEMORY + 1)) == [Level.ERROR]


def test_cores_count_where_threads_are_off():
    share = MEMORY // (CPUS // 2)
    assert not paths("HPC-SLM-019", queues=[queue(smt=False, slurm={"DefMemPerCPU": share})])
    assert paths("HPC-SLM-019", queues=[queue(smt=True, slurm={"DefMemPerCPU": share})])


@pytest.mark.parametrize(
    ("keys", "right"),
    [
        ({"DefMemPerGPU": 40000}, True), ({"DefMemPerGPU": 60000}, False),
        ({"DefCpuPerGPU": 12}, True), ({"DefCpuPerGPU": 13}, False), ({"DefCpuPerGPU": 100}, False),
    ],
)  # fmt: skip
def test_defaults_of_gpus_must_fit_the_machine(keys, right):
    assert bool(paths("HPC-SLM-019", queues=partition(machine="g6.12xlarge", **keys))) is not right
    assert not paths("HPC-SLM-019", queues=partition(**keys)), "a queue without GPUs has no such jobs"


def test_a_setting_of_the_cluster_is_judged_by_the_queue_with_the_least_and_told_once():
    large = queue(name="large", machine="c7i.48xlarge")
    (problem,) = problems("HPC-SLM-019", queues=[large, queue()], slurm=whole(DefMemPerNode=MEMORY + 1))
    assert problem.path == ("slurm", "settings", "DefMemPerNode")
    assert "queue cpu" in problem.reason
    assert not paths("HPC-SLM-019", queues=[large], slurm=whole(DefMemPerNode=MEMORY + 1))


def test_a_queues_own_default_goes_before_that_of_the_cluster():
    own = partition(DefMemPerCPU=1000)
    assert not paths("HPC-SLM-019", queues=own, slurm=whole(DefMemPerNode=10 * MEMORY))
    assert not paths("HPC-SLM-030", queues=own, slurm=whole(DefMemPerNode=9000, MaxMemPerNode=8000))


@pytest.mark.parametrize(
    ("keys", "found"),
    [
        ({"DefMemPerNode": 8000, "MaxMemPerNode": 8000}, []),
        ({"DefMemPerNode": 8001, "MaxMemPerNode": 8000}, [Level.ERROR]),
        ({"DefMemPerCPU": 1000, "MaxMemPerCPU": 1000}, []),
        ({"DefMemPerCPU": 1001, "MaxMemPerCPU": 1000}, [Level.WARNING]),
        ({"DefMemPerCPU": 9000, "MaxMemPerNode": 8000}, [Level.ERROR]),
        ({"DefMemPerNode": 9000, "MaxMemPerCPU": 1000}, []),
        ({"DefMemPerNode": 9000, "MaxMemPerNode": 0}, []),
        ({"MaxMemPerNode": 8000}, []),
    ],
)
def test_defaults_must_not_exceed_their_limits(keys, found):
    assert levels("HPC-SLM-030", queues=partition(**keys)) == found
    assert levels("HPC-SLM-030", slurm=whole(**keys), queues=[queue(), queue(name="b")]) == found


@pytest.mark.parametrize(
    ("keys", "right"),
    [
        ({"DefMemPerNode": 16}, False), ({"DefMemPerNode": 28}, False), ({"DefMemPerCPU": 2}, False),
        ({"MaxMemPerNode": 24}, False), ({"MaxMemPerCPU": 4}, False),
        ({"DefMemPerNode": 512}, True), ({"DefMemPerCPU": 100}, True), ({"DefMemPerNode": 32}, True),
        ({"DefMemPerNode": 0}, True), ({"DefMemPerNode": "UNLIMITED"}, True), ({"MaxMemPerNode": 2000}, True),
    ],
)  # fmt: skip
def test_a_memory_value_must_be_in_mebibytes(keys, right):
    assert bool(paths("HPC-SLM-031", queues=partition(**keys))) is not right


def test_what_was_meant_is_proposed():
    (problem,) = problems("HPC-SLM-031", queues=partition(DefMemPerNode=16))
    assert problem.remedy == "write 16384 if you meant GiB"


@pytest.mark.parametrize(
    ("keys", "right"),
    [
        ({"MaxNodes": 4}, True), ({"MaxNodes": 5}, False), ({"MaxNodes": "UNLIMITED"}, True),
        ({"MaxCPUsPerNode": CPUS}, True), ({"MaxCPUsPerNode": CPUS + 1}, False),
        ({"MaxMemPerNode": MEMORY}, True), ({"MaxMemPerNode": MEMORY + 1}, False),
    ],
)  # fmt: skip
def test_limits_that_limit_nothing_are_remarked_only(keys, right):
    assert levels("HPC-SLM-032", queues=partition(**keys)) == ([] if right else [Level.INFO])


@given(st.integers(1, MEMORY // CPUS), st.booleans())
def test_what_each_cpu_has_is_never_too_much(share, global_):
    keys = {"DefMemPerCPU": share}
    described = {"slurm": whole(**keys)} if global_ else {"queues": partition(**keys)}
    assert not paths("HPC-SLM-019", **described)


def test_machines_without_facts_are_not_judged():
    described = cluster(queues=partition(machine="x1.nonsense", DefMemPerNode=16, DefMemPerCPU=10**6))
    assert described.queues[0].slurm
    for id in ("HPC-SLM-019", "HPC-SLM-031", "HPC-SLM-032"):
        assert not paths(id, queues=partition(machine="x1.nonsense", DefMemPerNode=16))


@pytest.mark.parametrize(("least", "right"), [(4, True), (5, False), ("5", False), ("x", True)])
def test_least_nodes_must_not_exceed_the_queue(least, right):
    assert bool(paths("HPC-SLM-018", queues=[queue(slurm={"MinNodes": least})])) is not right


def test_default_memory_must_fit_the_node():
    facts = machine("aws", "c7i.4xlarge")
    assert facts is not None
    most = real_memory_mib(facts)
    assert not paths("HPC-SLM-019", queues=[queue(slurm={"DefMemPerNode": most})])
    assert paths("HPC-SLM-019", queues=[queue(slurm={"DefMemPerNode": most + 1})])
    assert paths("HPC-SLM-019", queues=[queue(memory="1GiB", slurm={"DefMemPerNode": 1025})])
    assert not paths("HPC-SLM-019", queues=[queue(machine="x1.nonsense", slurm={"DefMemPerNode": 10**9})])
