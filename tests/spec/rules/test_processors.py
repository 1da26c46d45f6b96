import pytest

from hpc_components.catalog import machine, machines, real_memory_mib

from .judged import paths, problems, queue


@pytest.mark.parametrize("name", ["hpc6a.48xlarge", "c7a.4xlarge", "c7g.16xlarge"])
def test_smt_off_on_one_thread_per_core_has_no_finding(name):
    assert not paths("HPC-MCH-014", queues=[queue(machine=name, smt=False)])


@pytest.mark.parametrize("name", ["c6i.metal", "c7i.metal-48xl", "m6i.metal"])
def test_metal_comes_as_it_is(name):
    assert paths("HPC-MCH-014", queues=[queue(machine=name, smt=False)]) == ["queues[0].machine"]
    assert not paths("HPC-MCH-014", queues=[queue(machine=name)])


def test_cores_of_a_type_without_facts_are_not_known():
    (problem,) = problems("HPC-MCH-014", queues=[queue(smt=False, fallback=["p6e-gb200.36xlarge"])])
    assert problem.path == ("queues", 0, "fallback", 0)


@pytest.mark.parametrize("m", [m for m in machines("aws") if m.accelerator], ids=lambda m: m.name)
def test_accelerators_that_slurm_does_not_count_are_found(m):
    assert bool(paths("HPC-MCH-015", queues=[queue(machine=m.name)])) is m.name.startswith(("trn", "inf"))
    assert not paths("HPC-MCH-015", queues=[queue(machine=m.name, slurm={"OverSubscribe": "exclusive"})])


def test_fallback_needs_disks_too():
    queues = [queue(machine="hpc6id.32xlarge", local_scratch="/scratch", fallback=["c6i.32xlarge"])]
    (problem,) = problems("HPC-MCH-016", queues=queues)
    assert problem.path == ("queues", 0, "fallback", 0)
    assert "hpc6id.32xlarge" in problem.remedy


@pytest.mark.parametrize("name", ["hpc6a.48xlarge", "c7i.4xlarge", "p5.48xlarge"])
def test_all_memory_that_is_seen_can_be_asked_for(name):
    known = machine("aws", name)
    assert known is not None
    seen = real_memory_mib(known)
    assert not paths("HPC-MCH-017", queues=[queue(machine=name, memory=f"{seen}MiB")])
    (problem,) = problems("HPC-MCH-017", queues=[queue(machine=name, memory=f"{seen + 1}MiB")])
    assert f"at most {seen // 1024}GiB" in problem.remedy


def test_the_smallest_machine_counts():
    (problem,) = problems(
        "HPC-MCH-017", queues=[queue(machine="r7i.4xlarge", fallback=["c7i.4xlarge"], memory="64GiB")]
    )
    assert "c7i.4xlarge" in problem.reason


def test_threads_that_can_be_switched_off_have_no_finding():
    assert not paths("HPC-MCH-014", queues=[queue(smt=False)])


def test_disks_are_suggested_of_the_same_architecture():
    (problem,) = problems("HPC-MCH-016", queues=[queue(machine="c7g.16xlarge", local_scratch="/scratch")])
    assert "hpc6id" not in problem.remedy


def test_each_cpu_has_some_memory():
    """Else DefMemPerCPU were 0, which Slurm reads as all of the node."""
    assert not paths("HPC-MCH-022", queues=[queue(machine="hpc6a.48xlarge", memory="96MiB")])
    (problem,) = problems("HPC-MCH-022", queues=[queue(machine="hpc6a.48xlarge", memory="95MiB")])
    assert problem.reason == "95MiB is less than 1 MiB for each of the node's 96 CPUs"
    assert not paths("HPC-MCH-022", queues=[queue(machine="hpc6a.48xlarge")])
