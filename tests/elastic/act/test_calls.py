"""Launches in threads: no clock decides what happens here, only events."""

import threading

import pytest

from hpc_components.elastic.act.calls import Call, LaunchCalls
from hpc_components.elastic.journal.entries import Entry
from hpc_components.elastic.model import Launch, Pool

POOLS = [Pool(queue="q", machine=f"m{number}", zone="z", purchase="spot") for number in (1, 2)]
SOON = 60.0
"""Seconds of patience in which an answer surely comes."""


def call(pool):
    launch = Launch(token=pool.machine, pool=pool, nodes=("q-1",), minimum=1, asked=0.0)
    return Call(entry=Entry(launch=launch, sent=0.0), former=None)


def test_an_answer_does_not_wait_for_a_slow_call_of_another_pool():
    calls, go = LaunchCalls(), threading.Event()
    slow, quick = map(call, POOLS)
    calls.start(slow, lambda: [go.wait()])
    calls.start(quick, list)
    assert calls.next_answer(SOON).call is quick
    assert list(calls.under_way) == [POOLS[0]]
    assert calls.next_answer(0.0) is None
    go.set()
    assert calls.next_answer(SOON).call is slow
    assert not calls.under_way


def test_who_no_longer_waits_is_told_when_an_answer_comes():
    late, go = threading.Event(), threading.Event()
    calls = LaunchCalls(late.set)
    calls.start(call(POOLS[1]), list)
    assert calls.next_answer(SOON) is not None
    assert not late.is_set()
    calls.start(call(POOLS[0]), lambda: [go.wait()])
    assert calls.next_answer(0.0) is None
    go.set()
    assert late.wait(SOON)
    assert calls.next_answer(SOON) is not None


def test_what_goes_wrong_is_an_answer_and_what_ends_the_daemon_ends_it():
    calls = LaunchCalls()

    def fail(error):
        raise error

    calls.start(call(POOLS[0]), lambda: fail(OSError("timed out")))
    assert str(calls.next_answer(SOON).error) == "timed out"
    calls.start(call(POOLS[0]), lambda: fail(SystemExit()))
    with pytest.raises(SystemExit):
        calls.next_answer(SOON)
    assert not calls.under_way


def test_without_calls_nobody_waits():
    assert LaunchCalls().next_answer(SOON) is None
