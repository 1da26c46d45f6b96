from dataclasses import replace

import pytest

from hpc_components.elastic.config import Config, QueueConfig
from hpc_components.elastic.decide.reconcile import reconcile
from hpc_components.elastic.decide.table import Action, Age, CloudState, decide
from hpc_components.elastic.journal.entries import Entry
from hpc_components.elastic.model import Instance, InstanceState, Launch, Node, Pool
from hpc_components.elastic.slurm.node_states import SlurmState

POOL = Pool(queue="q", machine="m1", zone="z", purchase="spot")
CONFIG = Config(
    cluster="c",
    cloud="aws",
    region="r",
    boot_timeout=600.0,
    cooldown=300.0,
    queues=(QueueConfig(name="q", max=4, pools=(POOL,)),),
)
NOW = 10_000.0

LIST_LAG = 120


def node(states, name="q-1", reason="", booted_at=0.0):
    return Node(name=name, states=frozenset(states.split("+")), reason=reason, booted_at=booted_at)


def machine(id="i-1", node="q-1", state="running", token="t1", launched=NOW - 60, failing=""):
    return Instance(
        id=id, node=node, token=token, pool=POOL, state=InstanceState(state), launched=launched, failing=failing
    )


def entry(token="t1", nodes=("q-1",), machines=None, **more):
    launch = Launch(token=token, pool=POOL, nodes=nodes, minimum=1, asked=NOW - 60)
    return Entry(launch=launch, sent=NOW - 60, machines=machines, **more)


def look(nodes, instances=(), entries=(), ended=(), before=None, now=NOW, **more):
    return reconcile(
        CONFIG,
        nodes=nodes,
        instances=instances,
        entries=entries,
        ended=ended,
        before=before.seen if before else {},
        now=now,
        list_lag=LIST_LAG,
        **more,
    )


def cell(*args, name="q-1", **more):
    seen = look(*args, **more).seen[name]
    return seen.slurm, seen.cloud


UP = node("IDLE+CLOUD")
MUTE = node("ALLOCATED+CLOUD+NOT_RESPONDING")
BOOTING = node("MIXED+CLOUD+POWERING_UP")


@pytest.mark.parametrize(
    ("instances", "entries", "ended", "expected"),
    [
        ([], [], [], CloudState.NONE),
        ([machine(state="pending")], [], [], CloudState.PENDING),
        ([machine()], [], [], CloudState.RUNNING),
        ([machine(failing="retirement")], [], [], CloudState.FAILING),
        ([machine(state="stopping")], [], [], CloudState.ENDED),
        ([machine(state="gone")], [], [], CloudState.ENDED),
        ([machine()], [], ["i-1"], CloudState.ENDED),
        ([], [entry()], [], CloudState.ASKED),
        ([], [entry(machines={"q-1": "i-1"})], [], CloudState.ASKED),
        ([], [entry(machines={"q-1": "i-1"})], ["i-1"], CloudState.ENDED),
        ([], [entry(nodes=("q-1", "q-2"), machines={"q-2": "i-2"})], [], CloudState.NONE),
        ([], [entry(refused=True)], [], CloudState.ASKED),
        ([machine()], [entry()], [], CloudState.RUNNING),
        ([machine(state="gone")], [entry(machines={"q-1": "i-1"})], [], CloudState.ENDED),
        ([machine("i-0", state="gone", token="t0")], [entry()], [], CloudState.ASKED),
        ([machine("i-0", token="t0")], [entry()], [], CloudState.RUNNING),
    ],
)
def test_the_clouds_state_follows_machines_and_entries(instances, entries, ended, expected):
    assert cell([BOOTING], instances, entries, ended) == (SlurmState.POWERING_UP, expected)


def test_a_machine_without_a_node_in_slurm_has_a_row():
    assert cell([UP], [machine(), machine("i-9", "q-9")], name="q-9") == (SlurmState.ABSENT, CloudState.RUNNING)


def test_nodes_of_other_queues_are_none_of_our_business_unless_they_have_machines():
    other = node("DOWN+CLOUD+POWERED_DOWN", name="static-1", reason="ResumeTimeout reached")
    assert look([UP, other]).seen.keys() == {"q-1"}
    assert cell([UP, other], [machine(node="static-1")], name="static-1") == (
        SlurmState.TIMED_OUT,
        CloudState.RUNNING,
    )


def row(view, name="q-1"):
    return view.rows[name]


def test_a_machine_missing_in_the_list_is_given_time_from_when_it_was_missed():
    first = look([MUTE], [machine()], now=NOW)
    missed = look([MUTE], [], before=first, now=NOW + 500)
    assert row(missed) == decide(SlurmState.UP_NOT_RESPONDING, CloudState.NONE, Age.RECENT)
    again = look([MUTE], [], before=missed, now=NOW + 500 + LIST_LAG - 1)
    assert row(again).action is Action.WAIT
    later = look([MUTE], [], before=again, now=NOW + 500 + LIST_LAG)
    assert row(later).action is Action.MARK_DOWN_LOST


def test_a_node_that_answers_is_never_lost_for_want_of_a_line_in_a_list():
    missed = look([UP], [], now=NOW)
    later = look([UP], [], before=missed, now=NOW + 100 * LIST_LAG)
    assert row(later).action is Action.WARN
    silent = look([MUTE], [], before=later, now=NOW + 101 * LIST_LAG)
    assert row(silent).action is Action.WAIT


def test_a_machine_seen_again_in_between_begins_anew():
    missed = look([MUTE], [], now=NOW)
    seen = look([MUTE], [machine()], before=missed, now=NOW + 100)
    assert row(look([MUTE], [], before=seen, now=NOW + 200)).action is Action.WAIT


IDLE_BOOTING = node("IDLE+CLOUD+POWERING_UP")


def states_of(*looks):
    """One look after the other, 5 s apart: node, machines."""
    view = None
    found = []
    for number, (what, instances) in enumerate(looks):
        view = look([what], instances, before=view, now=NOW + 5 * number)
        found.append((view.seen["q-1"].slurm.name, row(view).action.name))
    return found


GONE = machine(state="gone")


def test_a_person_s_power_up_gets_one_machine():
    assert states_of((IDLE_BOOTING, []), (IDLE_BOOTING, []), (IDLE_BOOTING, [machine()]), (IDLE_BOOTING, [GONE])) == [
        ("POWERING_UP", "LAUNCH"),
        ("POWERING_UP", "LAUNCH"),
        ("UNWANTED", "WAIT"),
        ("UNWANTED", "FORCE_POWER_DOWN"),
    ]


def test_a_node_whose_job_was_cancelled_gets_no_machine():
    assert states_of((BOOTING, []), (IDLE_BOOTING, []), (IDLE_BOOTING, []), (BOOTING, [])) == [
        ("POWERING_UP", "LAUNCH"),
        ("UNWANTED", "FORCE_POWER_DOWN"),
        ("UNWANTED", "FORCE_POWER_DOWN"),
        ("POWERING_UP", "LAUNCH"),
    ]


def test_a_machine_that_boots_for_a_cancelled_job_may_serve_another_one_but_is_not_replaced():
    assert states_of((BOOTING, [machine()]), (IDLE_BOOTING, [machine()])) == [
        ("POWERING_UP", "WAIT"),
        ("UNWANTED", "WAIT"),
    ]
    first = look([IDLE_BOOTING], [machine()])
    assert row(look([IDLE_BOOTING], [machine()], before=first, now=NOW + 600)).action is Action.FORCE_POWER_DOWN


def test_nodes_that_are_always_up_need_no_job():
    kept = replace(CONFIG, queues=(replace(CONFIG.queues[0], min=1),))
    seen = reconcile(
        kept,
        nodes=[IDLE_BOOTING],
        instances=[machine()],
        entries=(),
        ended=(),
        before={},
        now=NOW,
        list_lag=LIST_LAG,
    ).seen
    assert seen["q-1"].slurm is SlurmState.POWERING_UP


def test_a_node_drained_by_somebody_is_not_called_off():
    drained = node("IDLE+CLOUD+DRAIN+POWERING_UP", reason="tom: dimm")
    assert cell([drained], [machine()]) == (SlurmState.POWERING_UP, CloudState.RUNNING)


def test_the_boot_timeout_counts_from_the_launch():
    first = look([BOOTING], [machine(launched=NOW)], now=NOW + 30)
    view = look([BOOTING], [machine(launched=NOW)], before=first, now=NOW + 599)
    assert row(view).action is Action.WAIT
    view = look([BOOTING], [machine(launched=NOW)], before=view, now=NOW + 600)
    assert row(view).action is Action.REPLACE


def test_an_old_machine_under_a_node_that_comes_up_is_looked_at_twice():
    view = look([BOOTING], [machine(launched=NOW - 90_000)])
    assert row(view).action is Action.WAIT
    view = look([BOOTING], [machine(launched=NOW - 90_000)], before=view, now=NOW + LIST_LAG)
    assert row(view).action is Action.REPLACE


def test_a_failed_node_rests_for_the_cooldown():
    failed = node("DOWN+CLOUD+POWERED_DOWN", reason="hpc: no machine registered in time")
    view = look([failed])
    assert row(view).action is Action.WAIT
    assert row(look([failed], before=view, now=NOW + 299)).action is Action.WAIT
    assert row(look([failed], before=view, now=NOW + 300)).action is Action.RESUME


def test_registered_nodes_are_told_once():
    came = look([BOOTING], [machine()])
    view = look([UP], [machine()], before=came)
    assert [seen.name for seen in view.arrived] == ["q-1"]
    assert look([UP], [machine()], before=view).arrived == ()
    assert look([UP], [machine()]).arrived == ()


@pytest.mark.parametrize(
    ("state", "entries", "kept"),
    [
        (BOOTING, [], "old"),
        (BOOTING, [entry("new")], "new"),
        (node("IDLE+CLOUD", booted_at=NOW - 880), [entry("new")], "old"),
        (node("IDLE+CLOUD", booted_at=NOW - 80), [], "new"),
    ],
    ids=["the older", "the one asked for last", "the one that registered", "the one that registered, younger"],
)
def test_of_two_machines_one_stays(state, entries, kept):
    old = machine("old", token="old", launched=NOW - 900)
    new = machine("new", token="new", launched=NOW - 100)
    for instances in ([old, new], [new, old]):
        view = look([state], instances, entries)
        assert view.seen["q-1"].machine.id == kept
        assert [spare.id for spare in view.spares] == [{"old": "new", "new": "old"}[kept]]


def test_an_ended_machine_is_no_second_one():
    view = look([BOOTING], [machine("old", token="old"), machine("new", token="new")], ended=["old"])
    assert view.spares == ()
    assert view.seen["q-1"].machine.id == "new"


def test_a_machine_of_an_earlier_life_is_not_a_nodes_lost_one():
    former = machine("i-1", state="gone", launched=1.0)
    first = look([UP], [former, machine("i-2")])
    missed = look([UP], [former], before=first)
    assert row(missed) == decide(SlurmState.UP, CloudState.NONE, Age.RECENT)
    assert row(look([UP], [former], before=missed)).action is Action.WAIT


def test_a_machine_reclaimed_before_it_was_listed_is_lost_if_the_last_launch_created_it():
    gone, launched = machine(state="gone"), entry(machines={"q-1": "i-1"})
    assert row(look([UP], [gone], [launched])).action is Action.MARK_DOWN_LOST
    newer = entry("t2", machines={"q-1": "i-2"})
    assert cell([UP], [gone], [launched, newer]) == (SlurmState.UP, CloudState.ASKED)
    assert row(look([UP], [gone])).action is Action.WAIT


def test_a_machine_ended_by_us_is_a_nodes_lost_one_if_it_was_its_last():
    first = look([UP], [machine()])
    assert row(look([UP], [machine()], ended=["i-1"], before=first)).action is Action.MARK_DOWN_LOST
    second = look([UP], [machine("i-2")])
    assert row(look([UP], [machine()], ended=["i-1"], before=second)).action is Action.WAIT


def test_a_lost_node_knows_the_machine_it_had():
    former = machine("i-1", state="gone", launched=1.0)
    first = look([UP], [former, machine("i-2", launched=2.0)])
    view = look([UP], [former, machine("i-2", state="gone", launched=2.0)], before=first)
    assert view.todo[Action.MARK_DOWN_LOST][0].machine.id == "i-2"


BOOTS = node("ALLOCATED+CLOUD+POWERING_UP")
LATER = machine("i-2", token="t2", launched=NOW - 5)


def test_a_machine_whose_end_was_not_answered_may_be_ending():
    assert cell([BOOTS], [machine()], doubtful=["i-1"]) == (SlurmState.POWERING_UP, CloudState.DOUBTFUL)
    assert cell([UP], [machine(failing="retirement")], doubtful=["i-1"]) == (SlurmState.UP, CloudState.DOUBTFUL)


@pytest.mark.parametrize(
    ("more", "cloud"),
    [
        ({"entries": [entry("t2")]}, CloudState.ASKED),
        ({"missing": {"q-1": LATER}}, CloudState.MISSING),
        ({"instances": [machine(), LATER]}, CloudState.RUNNING),
    ],
    ids=["asked for", "missing", "listed"],
)
def test_a_machine_that_may_be_ending_does_not_hide_the_one_launched_since(more, cloud):
    view = look([BOOTS], **{"instances": [machine()], **more}, doubtful=["i-1"])
    assert view.seen["q-1"].cloud is cloud
    assert [spare.id for spare in view.spares] == ["i-1"]


def test_a_node_booted_on_a_machine_that_may_be_ending_keeps_it():
    booted = node("ALLOCATED+CLOUD", booted_at=NOW - 30)
    view = look([booted], [machine(launched=NOW - 100)], [entry("t2")], doubtful=["i-1"])
    assert (view.seen["q-1"].cloud, view.spares) == (CloudState.DOUBTFUL, ())
