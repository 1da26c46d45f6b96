from elastic.report.test_status import CONFIG, HPC6A, machine
from hpc_components.elastic.daemon.check import check
from hpc_components.elastic.drivers.contract import RefusedError
from hpc_components.elastic.model import InstanceState, Node


class Slurm:
    def __init__(self, names):
        self.names = names

    def nodes(self):
        if self.names is None:
            raise OSError("scontrol: Unable to contact slurm controller (connect failure)")
        return [Node(name=name, states=frozenset({"CLOUD"})) for name in self.names]


class Cloud:
    def __init__(self, error=None):
        self.error = error

    def list(self):
        if self.error:
            raise self.error
        return [machine("compute-queue-1", HPC6A), machine("compute-queue-2", HPC6A, InstanceState.GONE)]


ALL = [f"compute-queue-{number}" for number in range(1, 17)] + [f"spot-{number}" for number in range(1, 201)]


def wrong(names, cloud=None):
    return [words for fine, words in check(CONFIG, Slurm(names), cloud or Cloud()) if not fine]


def test_a_right_setup_passes_every_check():
    assert list(check(CONFIG, Slurm(ALL), Cloud())) == [
        (True, "cluster cfd on aws: 2 queues, at most 216 machines"),
        (True, "Slurm is responding: 216 cloud nodes"),
        (True, "the cloud is responding: 1 machines"),
    ]


def test_nodes_that_slurm_does_not_know_are_found():
    assert wrong(ALL[2:]) == [
        "these nodes are unknown to Slurm and are never launched: compute-queue-[1-2]; check that slurmctld "
        "is using the new slurm.conf"
    ]


def test_nodes_that_no_queue_has_are_found():
    assert wrong([*ALL, "old-1"]) == ["these nodes are known to Slurm but missing from elastic.json: old-1"]


def test_who_does_not_answer_is_named():
    assert wrong(None, Cloud(OSError("timed out"))) == [
        "Slurm: scontrol: Unable to contact slurm controller (connect failure)",
        "the cloud: timed out",
    ]


def test_a_cloud_that_refuses_is_found():
    assert wrong(ALL, Cloud(RefusedError("not authorized"))) == ["the cloud: not authorized"]
