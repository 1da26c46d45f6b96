from collections import Counter
from itertools import product

import pytest

from hpc_components.elastic.decide.table import TABLE, Action, Age, CloudState, decide
from hpc_components.elastic.slurm.node_states import SlurmState

ALIVE = {CloudState.PENDING, CloudState.RUNNING, CloudState.FAILING, CloudState.DOUBTFUL}
HEARD = {SlurmState.UP, SlurmState.UNPAID, SlurmState.DRAINING, SlurmState.PAID_AGAIN, SlurmState.HELD}
MUTE = {SlurmState.UP_NOT_RESPONDING, SlurmState.DRAINING_NOT_RESPONDING, SlurmState.HELD_NOT_RESPONDING}
WORKS = HEARD | MUTE | {SlurmState.DOWN_HELD}
ENDS = {Action.TERMINATE, Action.TERMINATE_AND_POWER_DOWN, Action.REPLACE}
CELLS = list(product(SlurmState, CloudState, Age))


def test_every_cell_is_in_exactly_one_row():
    assert Counter(cell for row in TABLE for cell in row.cells()) == dict.fromkeys(CELLS, 1)


@pytest.mark.parametrize("cell", CELLS, ids=lambda part: "-".join(each.name for each in part))
def test_every_cell_keeps_the_rules(cell):
    slurm, cloud, age = cell
    action = decide(*cell).action
    if action in ENDS:
        assert cloud not in (CloudState.NONE, CloudState.ENDED), "there is nothing to end"
        assert slurm not in WORKS, "it works, or somebody looks at it"
    if action is Action.LAUNCH:
        assert slurm is SlurmState.POWERING_UP, "only Slurm asks for machines, and for somebody"
    if action is Action.FORCE_POWER_DOWN:
        assert slurm in (SlurmState.UNWANTED, SlurmState.CALLED_OFF), "a job may wait for it"
    if action is Action.MARK_DOWN_AND_POWER_OFF:
        assert slurm is SlurmState.FAULTY, "Slurm uses it, or somebody holds it"
    if action in (
        Action.LAUNCH,
        Action.MARK_DOWN_LOST,
        Action.MARK_DOWN_KEEP_REASON,
        Action.RESUME,
        Action.RESUME_IF_OPEN,
        Action.MARK_DOWN_FOR_COOLDOWN,
    ):
        assert cloud not in ALIVE, "a machine lives, or may"
        assert cloud is not CloudState.ASKED, "a machine is on its way"
    if action in (Action.LAUNCH, Action.RESUME, Action.RESUME_IF_OPEN, Action.MARK_DOWN_FOR_COOLDOWN):
        assert cloud is not CloudState.MISSING, "a machine may live: it is ended first"
    if cloud is CloudState.MISSING and slurm in HEARD | MUTE | {SlurmState.POWERING_UP, SlurmState.SILENT}:
        assert (action is Action.WAIT) == (age is Age.RECENT), "the cloud's list may be out of date"
    if slurm in (SlurmState.HELD, SlurmState.HELD_NOT_RESPONDING, SlurmState.OFF_HELD, SlurmState.DOWN_HELD):
        harmless = (Action.NOTHING, Action.WAIT, Action.WARN, Action.TERMINATE, Action.MARK_DOWN_KEEP_REASON)
        assert action in harmless, "only who held it may lift that"
    if cloud is CloudState.NONE and slurm in HEARD | MUTE | {SlurmState.SILENT}:
        assert (action is Action.WAIT) == (age is Age.RECENT), "the cloud's list may be out of date"
    if cloud is CloudState.NONE and slurm in HEARD:
        assert action in (Action.WAIT, Action.WARN), "Slurm hears it: there is a machine, listed or not"


def test_what_costs_and_is_not_wanted_is_ended_in_the_end():
    for slurm in (
        SlurmState.ABSENT,
        SlurmState.OFF,
        SlurmState.OFF_HELD,
        SlurmState.POWERING_DOWN,
        SlurmState.TIMED_OUT,
    ):
        for cloud in ALIVE | {CloudState.MISSING}:
            assert decide(slurm, cloud, Age.STABLE).action is Action.TERMINATE


def test_nothing_waits_for_ever_but_for_jobs_and_for_answers():
    for_ever = {
        (slurm, cloud)
        for slurm, cloud in product(SlurmState, CloudState)
        if all(decide(slurm, cloud, age).action is Action.WAIT for age in Age)
    }
    assert for_ever == {
        (SlurmState.ABSENT, CloudState.ASKED),
        (SlurmState.POWERING_UP, CloudState.ASKED),
        (SlurmState.UNWANTED, CloudState.ASKED),
        *((SlurmState.DRAINING, cloud) for cloud in (*ALIVE, CloudState.ASKED)),
        *((SlurmState.PAID_AGAIN, cloud) for cloud in (CloudState.FAILING, CloudState.DOUBTFUL)),
        *((SlurmState.DRAINING_NOT_RESPONDING, cloud) for cloud in (*ALIVE, CloudState.ASKED)),
    }
