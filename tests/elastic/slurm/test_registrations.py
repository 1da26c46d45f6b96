"""Who is let go by which reading. Time is a number that the tests set."""

import threading
from contextlib import contextmanager

import pytest

from hpc_components.elastic.model import Node
from hpc_components.elastic.slurm.registrations import (
    INTERVAL_SECONDS,
    PAUSE_FACTOR,
    Registrations,
    has_registered,
    is_awaited,
    is_coming,
)


def node(name, states, address=""):
    return Node(name=name, states=frozenset(states.split("+")) | {"CLOUD"}, address=address)


class Slurm:
    """Nodes that are read, each reading taking so long; and who was told of what, in which order."""

    def __init__(self, **nodes):
        self.now = 100.0
        self.takes = 0.0
        self.nodes = nodes
        self.told = []
        self.fails = None
        self.read_once = threading.Event()
        self.readings = 0
        self.errors = []
        self.registrations = Registrations(self.read, self.publish, lambda: self.now, self.errors.append)

    def read(self):
        self.readings += 1
        self.read_once.set()
        if self.fails:
            raise self.fails
        nodes = [node(name, states, f"10.0.0.{name[1:]}") for name, states in self.nodes.items()]
        self.now += self.takes
        return nodes

    def publish(self, addresses, off):
        self.off = off
        self.told.append(dict(addresses))

    def ask(self, *names):
        self.registrations.when_up(names, lambda: self.told.append("+".join(names)))

    def look(self, after=INTERVAL_SECONDS, **states):
        self.nodes.update(states)
        self.now += after
        self.registrations.look()
        return self.jobs()

    def jobs(self):
        return [told for told in self.told if isinstance(told, str)]


@pytest.mark.parametrize(
    ("states", "registered", "coming", "awaited"),
    [
        ("IDLE", True, False, False),
        ("MIXED+NOT_RESPONDING", True, False, False),  # it did register; Slurm would start the job too
        ("ALLOCATED+POWER_DOWN", True, False, False),  # runs its job to the end
        ("IDLE+DRAIN", True, False, False),
        ("DOWN", True, False, False),
        ("ALLOCATED+NOT_RESPONDING+POWERING_UP", False, True, True),
        ("IDLE+NOT_RESPONDING+POWERING_UP", False, True, False),
        ("ALLOCATED+POWERED_DOWN", False, True, True),  # the moment before ResumeProgram is called
        ("MIXED+POWERED_DOWN", False, True, True),
        ("IDLE+POWERED_DOWN", False, False, False),
        ("IDLE+POWERING_DOWN", False, False, False),
        ("DOWN+POWERED_DOWN", False, False, False),
        ("IDLE+NOT_RESPONDING+POWERING_DOWN+POWERING_UP", False, False, False),
        ("DOWN+NOT_RESPONDING+POWERING_UP", False, False, False),
    ],
)
def test_states_say_whether_a_node_has_registered(states, registered, coming, awaited):
    said = node("q1", states)
    assert (has_registered(said), is_coming(said), is_awaited(said)) == (registered, coming, awaited)


def test_who_waits_is_let_go_once_the_last_node_has_registered():
    slurm = Slurm(q1="MIXED+POWERING_UP", q2="MIXED+POWERING_UP")
    slurm.ask("q1", "q2")
    assert slurm.look() == []
    assert slurm.look(q1="MIXED") == []
    assert slurm.look(q2="MIXED") == ["q1+q2"]
    assert slurm.look() == ["q1+q2"], "told once"


def test_nodes_that_are_up_keep_nobody_waiting():
    slurm = Slurm(q1="IDLE")
    slurm.look()
    slurm.now += INTERVAL_SECONDS
    slurm.ask("q1")
    assert slurm.jobs() == ["q1"]


def test_what_was_up_a_while_ago_is_looked_at_again():
    slurm = Slurm(q1="IDLE")
    slurm.look()
    slurm.now += INTERVAL_SECONDS + 0.1
    slurm.ask("q1")
    assert slurm.jobs() == []
    assert slurm.look() == ["q1"]


def test_nodes_that_are_not_ours_are_there():
    slurm = Slurm(q1="IDLE")
    slurm.ask("login-1")
    assert slurm.look() == ["login-1"]
    slurm.ask("login-1")
    assert slurm.jobs() == ["login-1", "login-1"]


def test_a_node_that_was_off_just_now_may_be_coming_since():
    slurm = Slurm(q1="IDLE+POWERED_DOWN")
    slurm.look()
    slurm.ask("q1")
    assert slurm.jobs() == []
    assert slurm.look(q1="ALLOCATED+POWERED_DOWN") == []
    assert slurm.look(q1="ALLOCATED") == ["q1"]


def test_a_reading_that_began_before_somebody_came_does_not_let_him_go():
    slurm = Slurm(q1="IDLE+POWERED_DOWN")
    began = slurm.now
    slurm.now += 1
    slurm.ask("q1")
    slurm.registrations.put(slurm.read(), began)
    assert slurm.jobs() == []


def test_an_older_reading_does_not_replace_a_newer_one():
    slurm = Slurm(q1="ALLOCATED+POWERING_UP")
    before, began = slurm.read(), slurm.now
    slurm.look(q1="ALLOCATED")
    slurm.registrations.put(before, began)
    slurm.ask("q1")
    assert slurm.jobs() == ["q1"]
    assert slurm.told[0] == {"q1": "10.0.0.1"}


@pytest.mark.parametrize("lost", ["DOWN+POWERED_DOWN", "IDLE+POWERED_DOWN", "DOWN+POWERING_UP", "IDLE+POWERING_UP"])
def test_with_a_node_that_will_not_come_nobody_waits_for_the_others(lost):
    slurm = Slurm(q1="MIXED+POWERING_UP", q2="MIXED+POWERING_UP")
    slurm.ask("q1", "q2")
    slurm.ask("q1")
    assert slurm.look(q2=lost) == ["q1+q2"]


def test_names_are_known_before_the_job_starts():
    slurm = Slurm(q1="ALLOCATED+POWERING_UP", q2="IDLE")
    slurm.ask("q1")
    slurm.look()
    slurm.look(q1="ALLOCATED")
    assert slurm.told == [{"q2": "10.0.0.2"}, {"q1": "10.0.0.1", "q2": "10.0.0.2"}, "q1"]


def test_only_changes_are_published():
    slurm = Slurm(q1="IDLE")
    for _ in range(3):
        slurm.look()
    slurm.look(q1="IDLE+POWERING_DOWN")
    assert slurm.told == [{"q1": "10.0.0.1"}, {}]


def test_nodes_that_are_off_are_published_as_soon_as_they_go():
    slurm = Slurm(q1="IDLE", q2="IDLE+POWERED_DOWN")
    slurm.look()
    assert slurm.off == {"q2"}
    slurm.look(q1="IDLE+POWERING_DOWN")
    assert slurm.off == {"q1", "q2"}, "before Slurm has their names for addresses, after SuspendTimeout"


def test_names_that_could_not_be_published_keep_no_job_waiting_and_are_tried_again(capsys):
    slurm = Slurm(q1="ALLOCATED+POWERING_UP")
    publish = slurm.publish
    slurm.registrations._publish = lambda addresses, off: 1 // 0
    slurm.ask("q1")
    assert slurm.look(q1="ALLOCATED") == ["q1"]
    assert "ZeroDivisionError" in capsys.readouterr().err
    slurm.registrations._publish = publish
    slurm.look()
    assert slurm.told[-1] == {"q1": "10.0.0.1"}


def test_a_full_disk_is_reported_once_until_it_is_written_again(capsys):
    slurm = Slurm(q1="IDLE")
    told = []
    slurm.registrations._unpublished = told.append

    def full(addresses, off):
        raise OSError("No space left on device")

    publish, slurm.registrations._publish = slurm.publish, full
    for _ in range(3):
        slurm.look()
    assert list(map(str, told)) == ["No space left on device"]
    slurm.registrations._publish = publish
    slurm.look()
    slurm.registrations._publish = full
    slurm.look(q1="IDLE+POWERING_DOWN")
    assert len(told) == 2
    assert capsys.readouterr().err == "", "nothing but events in the log"


def test_while_slurm_does_not_answer_all_wait():
    slurm = Slurm(q1="ALLOCATED+POWERING_UP")
    slurm.ask("q1")
    slurm.fails = OSError("Unable to contact slurm controller")
    assert slurm.look(q1="ALLOCATED") == []
    slurm.fails = None
    assert slurm.look() == ["q1"]


def test_that_slurm_does_not_answer_is_reported_once_until_it_does():
    slurm = Slurm(q1="ALLOCATED+POWERING_UP")
    first, second = OSError("Unable to contact slurm controller"), OSError("timed out")
    for slurm.fails in (None, first, first, second, None, second):
        slurm.look()
    assert slurm.errors == [first, second]


def test_that_slurm_knows_no_nodes_at_all_is_not_believed():
    slurm = Slurm()
    slurm.ask("q1")
    assert slurm.look() == []
    assert slurm.told == []


def test_readings_leave_slurm_time_for_others():
    slurm = Slurm(q1="ALLOCATED+POWERING_UP")
    slurm.takes = 2.0
    slurm.look()
    assert slurm.registrations._next == slurm.now + PAUSE_FACTOR * 2.0


@contextmanager
def following(slurm):
    thread = threading.Thread(target=slurm.registrations.run)
    thread.start()
    try:
        yield
    finally:
        slurm.registrations.stop()
        thread.join(10)
        assert not thread.is_alive()


def test_a_wait_makes_it_read_at_once():
    slurm = Slurm(q1="IDLE")
    free = threading.Event()
    with following(slurm):
        slurm.registrations.when_up(["q1"], free.set)
        assert free.wait(10)


def test_it_follows_a_node_that_comes_up_though_nobody_waits():
    slurm = Slurm(q1="ALLOCATED+POWERING_UP")
    slurm.registrations.put(slurm.read(), slurm.now)
    slurm.read_once.clear()
    with following(slurm):
        assert slurm.read_once.wait(10)


def test_it_leaves_slurm_alone_while_nothing_comes_up():
    slurm = Slurm(q1="IDLE", q2="IDLE+POWERED_DOWN")
    slurm.registrations.put(slurm.read(), slurm.now)
    slurm.read_once.clear()
    with following(slurm):
        assert not slurm.read_once.wait(0.2)


def test_a_fault_of_ours_does_not_end_it(capsys):
    slurm = Slurm(q1="IDLE")
    slurm.fails = ZeroDivisionError()
    free = threading.Event()
    with following(slurm):
        slurm.registrations.when_up(["q1"], free.set)
        assert slurm.read_once.wait(10)
        assert slurm.readings == 1, "and it does not try without a pause"
        slurm.fails = None
        slurm.now += INTERVAL_SECONDS
        assert free.wait(10)
