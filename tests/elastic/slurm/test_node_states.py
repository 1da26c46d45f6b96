import pytest

from hpc_components.elastic.model import Node
from hpc_components.elastic.slurm.node_states import SlurmState, slurm_state


def node(states, reason=""):
    return Node(name="q-1", states=frozenset(states.split("+")), reason=reason)


@pytest.mark.parametrize(
    ("states", "reason", "expected"),
    [  # as 22.05.8 and 24.11.5 wrote them
        ("IDLE+CLOUD+POWERED_DOWN", "", SlurmState.OFF),
        ("IDLE+CLOUD+POWERED_DOWN", "hpc: no capacity: old", SlurmState.OFF),
        ("IDLE+CLOUD+POWERED_DOWN+NOT_RESPONDING", "", SlurmState.OFF),
        ("IDLE+CLOUD+POWER_UP+POWERED_DOWN", "", SlurmState.OFF),
        ("MIXED+CLOUD+POWERED_DOWN", "", SlurmState.OFF),
        ("IDLE+CLOUD+DRAIN+POWERED_DOWN", "tom", SlurmState.OFF_HELD),
        ("DOWN+CLOUD+POWERED_DOWN", "tom: dimm", SlurmState.OFF_HELD),
        ("DOWN+CLOUD+DRAIN+POWERED_DOWN", "ResumeTimeout reached", SlurmState.OFF_HELD),
        ("DOWN+CLOUD+POWERED_DOWN", "hpc: no capacity: x; next try 14:05", SlurmState.NO_CAPACITY),
        ("DOWN+CLOUD+POWERED_DOWN+NOT_RESPONDING", "hpc: no machine registered", SlurmState.FAILED),
        ("DOWN+CLOUD+POWERED_DOWN+NOT_RESPONDING", "ResumeTimeout reached", SlurmState.TIMED_OUT),
        ("DOWN+CLOUD+POWERED_DOWN", "hpc: no capacity: x : ResumeTimeout reached", SlurmState.TIMED_OUT),
        ("DOWN+CLOUD+POWERED_DOWN", "Not responding : ResumeTimeout reached", SlurmState.TIMED_OUT),
        ("DOWN+CLOUD+POWERED_DOWN", "tom: dimm : ResumeTimeout reached", SlurmState.OFF_HELD),
        ("DOWN+CLOUD+POWERED_DOWN", "tom: dimm : Not responding", SlurmState.OFF_HELD),
        ("MIXED+CLOUD+NOT_RESPONDING+POWERING_UP", "", SlurmState.POWERING_UP),
        ("IDLE+CLOUD+NOT_RESPONDING+POWERING_UP", "hpc: no capacity: old", SlurmState.POWERING_UP),
        ("IDLE+CLOUD+DRAIN+NOT_RESPONDING+POWERING_UP", "tom", SlurmState.POWERING_UP),
        ("IDLE+CLOUD+POWER_DOWN+NOT_RESPONDING+POWERING_UP", "", SlurmState.CALLED_OFF),
        ("ALLOCATED+CLOUD+POWER_DOWN+NOT_RESPONDING+POWERING_UP", "", SlurmState.POWERING_UP),
        ("IDLE+CLOUD+DRAIN+POWER_DOWN+NOT_RESPONDING+POWERING_UP", "tom: dimm", SlurmState.POWERING_UP),
        ("DOWN+CLOUD+NOT_RESPONDING+POWERING_UP", "hpc: no capacity", SlurmState.DOWN),
        ("DOWN+CLOUD+NOT_RESPONDING+POWERING_UP", "tom", SlurmState.DOWN_HELD),
        ("IDLE+CLOUD", "", SlurmState.UP),
        ("IDLE+CLOUD", "hpc: machine i-1 is gone", SlurmState.UP),
        ("MIXED+CLOUD+NOT_RESPONDING", "", SlurmState.UP_NOT_RESPONDING),
        ("ALLOCATED+CLOUD+DRAIN+NOT_RESPONDING", "hpc: spot notice", SlurmState.DRAINING_NOT_RESPONDING),
        ("IDLE+CLOUD+DRAIN+NOT_RESPONDING", "hpc: spot notice", SlurmState.DRAINED),
        ("MIXED+CLOUD+DRAIN+NOT_RESPONDING", "tom: dimm", SlurmState.HELD_NOT_RESPONDING),
        ("MIXED+CLOUD+POWER_DOWN", "", SlurmState.UP),
        ("IDLE+CLOUD+COMPLETING+POWER_DOWN", "", SlurmState.UP),
        ("IDLE+CLOUD+POWER_DOWN", "", SlurmState.POWERING_DOWN),
        ("IDLE+CLOUD+POWERING_DOWN", "hpc: x", SlurmState.POWERING_DOWN),
        ("DOWN+CLOUD+POWERING_DOWN", "hpc: no capacity", SlurmState.POWERING_DOWN),
        ("DOWN+CLOUD+POWER_DOWN+NOT_RESPONDING", "hpc: no capacity", SlurmState.POWERING_DOWN),
        ("IDLE+CLOUD+DRAIN", "tom: dimm", SlurmState.HELD),
        ("IDLE+CLOUD+DRAIN", "", SlurmState.HELD),
        ("ALLOCATED+CLOUD+DRAIN", "hpc: spot notice", SlurmState.DRAINING),
        ("IDLE+CLOUD+COMPLETING+DRAIN", "hpc: spot notice", SlurmState.DRAINING),
        ("IDLE+CLOUD+DRAIN", "hpc: spot notice", SlurmState.DRAINED),
        ("DOWN+CLOUD+NOT_RESPONDING", "Not responding", SlurmState.SILENT),
        ("DOWN+CLOUD+DRAIN+NOT_RESPONDING", "Not responding", SlurmState.DOWN_HELD),
        ("DOWN+CLOUD+NOT_RESPONDING", "tom: dimm : Not responding", SlurmState.SILENT),
        ("DOWN+CLOUD+NOT_RESPONDING", "hpc: no capacity : Not responding", SlurmState.SILENT),
        ("DOWN+CLOUD+DRAIN+NOT_RESPONDING", "tom: dimm : Not responding", SlurmState.DOWN_HELD),
        ("DOWN+CLOUD+DRAIN+NOT_RESPONDING", "hpc: spot notice : Not responding", SlurmState.DOWN),
        ("DOWN+CLOUD+DRAIN+NOT_RESPONDING", "Kill task failed : Not responding", SlurmState.SILENT),
        ("DOWN+CLOUD+NOT_RESPONDING", "kernel : reboot issued : reboot timed out", SlurmState.SILENT),
        ("DOWN+CLOUD+DRAIN", "Reboot ASAP : reboot issued : reboot timed out", SlurmState.DOWN_HELD),
        ("DOWN+CLOUD+REBOOT_ISSUED", "kernel : reboot issued", SlurmState.DOWN_HELD),
        ("DOWN+CLOUD", "ResumeTimeout reached", SlurmState.SILENT),
        ("DOWN+CLOUD", "Kill task failed", SlurmState.SILENT),
        ("DOWN+CLOUD", "Node unexpectedly rebooted", SlurmState.SILENT),
        ("DOWN+CLOUD", "tom: dimm", SlurmState.DOWN_HELD),
        ("IDLE+CLOUD+DRAIN+INVALID_REG", "Low RealMemory (reported:1 < 90.00% of configured:4)", SlurmState.FAULTY),
        ("IDLE+CLOUD+COMPLETING+DRAIN+INVALID_REG", "Low RealMemory (reported:1 < 2)", SlurmState.FAULTY),
        ("ALLOCATED+CLOUD+DRAIN+INVALID_REG", "Low RealMemory (reported:1 < 2)", SlurmState.DRAINING),
        ("IDLE+CLOUD+DRAIN+INVALID_REG", "gres/gpu count reported lower than configured (0 < 4)", SlurmState.FAULTY),
        ("IDLE+CLOUD+DRAIN+INVALID_REG", "hpc: spot notice", SlurmState.FAULTY),
        ("IDLE+CLOUD+DRAIN+INVALID_REG", "tom: dimm", SlurmState.HELD),
        ("IDLE+CLOUD+INVALID_REG", "", SlurmState.FAULTY),
        ("IDLE+CLOUD+DRAIN", "Kill task failed", SlurmState.FAULTY),
        ("IDLE+CLOUD+COMPLETING+DRAIN", "Kill task failed", SlurmState.DRAINING),
        ("IDLE+CLOUD+DRAIN", "SlurmdSpoolDir is full", SlurmState.FAULTY),
        ("IDLE+CLOUD+DRAIN", "Job step not running (JobId=7 StepId=batch)", SlurmState.FAULTY),
        ("IDLE+CLOUD+DRAIN", "Prolog/Epilog failure", SlurmState.FAULTY),
        ("IDLE+CLOUD+DRAIN", "Job env setup error", SlurmState.FAULTY),
        ("IDLE+CLOUD+DRAIN+INVALID_REG", "CoreSpec differ", SlurmState.FAULTY),
        ("IDLE+CLOUD+DRAIN+INVALID_REG", "Could not unpack gres data", SlurmState.FAULTY),
        ("MIXED+CLOUD+DRAIN", "Prolog error", SlurmState.DRAINING),
        ("IDLE+CLOUD+DRAIN", "Epilog error", SlurmState.FAULTY),
        ("DOWN+CLOUD", "hpc: machine i-1 is gone", SlurmState.DOWN),
    ],
)
def test_slurms_states_become_one_word(states, reason, expected):
    assert slurm_state(node(states, reason=reason)) is expected


@pytest.mark.parametrize(
    ("states", "expected"),
    [
        ("ALLOCATED+CLOUD+POWERED_DOWN", SlurmState.UP_NOT_RESPONDING),
        ("MIXED+CLOUD+NOT_RESPONDING+POWERED_DOWN", SlurmState.UP_NOT_RESPONDING),
        ("IDLE+CLOUD+POWERED_DOWN", SlurmState.OFF),
        ("DOWN+CLOUD+POWERED_DOWN", SlurmState.OFF_HELD),
        ("ALLOCATED+CLOUD+POWERING_UP", SlurmState.POWERING_UP),
        ("ALLOCATED+CLOUD", SlurmState.UP),
    ],
)
def test_a_node_on_which_a_job_runs_is_not_off_whatever_slurm_remembers(states, expected):
    assert slurm_state(node(states), works=True) is expected
