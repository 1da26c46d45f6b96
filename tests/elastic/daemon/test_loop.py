"""The loop, with cycles that are told what to report."""

import json
import os
import queue
import sys
import threading
import time
from dataclasses import replace

import pytest

from elastic.report.test_status import CONFIG
from hpc_components.elastic.daemon.log import as_json, as_text
from hpc_components.elastic.daemon.loop import Daemon
from hpc_components.elastic.daemon.systemd import mark
from hpc_components.elastic.model import Node
from hpc_components.elastic.report.events import CycleReport, Event, EventKind
from hpc_components.elastic.report.status import Status
from hpc_components.elastic.slurm.registrations import Registrations


def read():
    raise OSError("nobody asks Slurm here")


class Script:
    """A cycle that gives what is put into it, one report a cycle, and says when it begins."""

    def __init__(self):
        self.reports = queue.Queue()
        self.began = queue.Queue()

    def run(self):
        self.began.put(time.monotonic())
        report = self.reports.get(timeout=10)
        if isinstance(report, Exception):
            raise report
        return report


@pytest.fixture(autouse=True)
def not_under_systemd(monkeypatch):
    for name in ("NOTIFY_SOCKET", "JOURNAL_STREAM"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def script():
    return Script()


@pytest.fixture
def status():
    return Status(CONFIG, time.time)


@pytest.fixture
def registered():
    """What is published of nodes."""
    return queue.Queue()


@pytest.fixture
def start(script, status, registered):
    """Starts the daemon; it ends with the test."""
    running = []

    def begin(show=as_text, follow=lambda report: None):
        daemon = Daemon(script, status, Registrations(read, registered.put), show, follow)
        thread = threading.Thread(target=daemon.run)
        thread.start()
        running.append((daemon, thread))
        return daemon

    yield begin
    for daemon, thread in running:
        daemon.stop()
        script.reports.put(report())
        thread.join(10)
        assert not thread.is_alive()


def report(pause=3600.0, problem="", *events):
    return CycleReport(time=1.0, pause=pause, problem=problem, events=events)


def event(kind, words):
    return Event(time=1.0, kind=kind, nodes=("q-1", "q-2"), words=words)


def test_targets_that_cannot_be_written_are_reported_once_and_stop_nothing(start, script, capsys):
    def follow(report):
        raise OSError(28, "No space left on device")

    start(follow=follow)
    for _ in range(3):
        script.began.get(timeout=10)
        script.reports.put(report(pause=0.01))
    script.began.get(timeout=10)
    assert capsys.readouterr().out.count("can't write the nodes for Prometheus") == 1


def test_it_runs_a_cycle_at_once_and_again_after_the_pause(start, script):
    start()
    for _ in range(3):
        script.began.get(timeout=10)
        script.reports.put(report(pause=0.01))


def test_it_pauses_for_as_long_as_the_cycle_says(start, script):
    start()
    script.began.get(timeout=10)
    script.reports.put(report(pause=3600))
    with pytest.raises(queue.Empty):
        script.began.get(timeout=0.3)


def test_where_nodes_have_registered_is_known_from_cycles(start, script, registered):
    start()
    nodes = (Node(name="q-1", states=frozenset({"IDLE"}), address="10.0.0.1"),)
    script.reports.put(replace(report(pause=0.01), nodes=nodes))
    assert registered.get(timeout=10) == {"q-1": "10.0.0.1"}
    script.reports.put(report(pause=0.01, problem="Slurm does not answer"))
    script.reports.put(replace(report(pause=0.01), nodes=(replace(nodes[0], address="10.0.0.2"),)))
    assert registered.get(timeout=10) == {"q-1": "10.0.0.2"}, "nothing is known of nodes when Slurm does not answer"


def test_a_wake_ends_the_pause(start, script, status):
    daemon = start()
    script.began.get(timeout=10)
    script.reports.put(report(pause=3600))
    daemon.wake("resume", "q-1")
    script.began.get(timeout=10)
    assert status.document()["totals"]["wakes"] == {"resume": 1}


def test_a_wake_during_a_cycle_is_not_lost(start, script):
    daemon = start()
    script.began.get(timeout=10)
    daemon.wake("resume", "q-1")
    script.reports.put(report(pause=3600))
    script.began.get(timeout=10)


def test_many_wakes_during_a_cycle_are_one(start, script):
    daemon = start()
    script.began.get(timeout=10)
    for _ in range(50):
        daemon.wake("resume", "q-1")
    script.reports.put(report(pause=3600))
    script.began.get(timeout=10)
    script.reports.put(report(pause=3600))
    with pytest.raises(queue.Empty):
        script.began.get(timeout=0.3)


def test_a_fault_of_ours_is_told_and_survived(start, script, status, capfd):
    daemon = start()
    script.began.get(timeout=10)
    script.reports.put(RuntimeError("boom"))
    daemon.wake("resume", "q-1")
    script.began.get(timeout=10)
    assert "boom" in status.document()["cycle"]["problem"]
    assert "Traceback" in capfd.readouterr().err


def run_all(script, start, reports, show=as_text):
    """Starts it, gives it these reports, waits until all are dealt with."""
    daemon = start(show)
    for each in reports:
        script.began.get(timeout=10)
        script.reports.put(each)
        daemon.wake("resume", "q-1")
    script.began.get(timeout=10)


def lines(capfd):
    return [line for line in capfd.readouterr().out.splitlines() if "hpc-resume" not in line]


def test_each_event_is_a_line(start, script, capfd):
    one, two = event(EventKind.LAUNCH, "q-[1-2]: launched"), event(EventKind.UP, "q-[1-2]: registered")
    run_all(script, start, [report(3600, "", one, two)])
    assert lines(capfd) == ["q-[1-2]: launched", "q-[1-2]: registered"]


def test_programs_can_read_each_event_as_json(start, script, capfd):
    run_all(script, start, [report(3600, "", event(EventKind.LAUNCH, "launched"))], as_json)
    told = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
    assert {"time": 1.0, "kind": "launch", "nodes": "q-[1-2]", "words": "launched"} in told
    assert {"wake"} == {line["kind"] for line in told} - {"launch"}


def test_who_stays_away_is_told_once_and_when_it_is_back(start, script, capfd):
    away = report(3600, "Slurm does not answer", event(EventKind.SLURM_AWAY, "Slurm does not answer"))
    other = report(3600, "Slurm hangs", event(EventKind.SLURM_AWAY, "Slurm hangs"))
    run_all(script, start, [away, away, other, other, report(), report(), away])
    assert lines(capfd) == [
        "Slurm does not answer",
        "Slurm hangs",
        "all is well again",
        "Slurm does not answer",
    ]


def test_what_a_cycle_has_told_is_not_told_again_between_cycles(start, script, capfd):
    daemon = start()
    daemon.slurm_away(OSError("scontrol: timed out"))
    script.reports.put(
        report(0.01, "Slurm does not answer: gone", event(EventKind.SLURM_AWAY, "Slurm does not answer: gone"))
    )
    for _ in range(2):
        script.began.get(timeout=10)
    daemon.slurm_away(OSError("gone"))
    daemon.slurm_away(OSError("scontrol: timed out"))
    assert lines(capfd) == [
        "Slurm does not answer: scontrol: timed out",
        "Slurm does not answer: gone",
        "Slurm does not answer: scontrol: timed out",
    ]


def test_the_journal_is_told_how_bad_it_is(monkeypatch, capfd):
    assert mark(4, "x") == "x"
    stdout = os.fstat(sys.stdout.fileno())
    monkeypatch.setenv("JOURNAL_STREAM", f"{stdout.st_dev}:{stdout.st_ino}")
    assert mark(4, "x") == "<4>x"


def test_a_file_gets_no_levels_where_stderr_is_the_journal(monkeypatch, capfd):
    monkeypatch.setenv("JOURNAL_STREAM", "8:1")
    assert mark(4, "x") == "x"
