import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpc_components.elastic.drivers.contract import ThrottledError
from hpc_components.elastic.drivers.pace import Pace


class Time:
    """A clock that sleeping moves."""

    def __init__(self) -> None:
        self.now, self.slept = 1000.0, 0.0

    def clock(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        self.slept += seconds


def pace(time: Time) -> Pace:
    return Pace({"Run": (5, 2.0)}, (100, 20.0), time.clock, time.sleep)


def test_a_burst_is_free_and_then_a_call_waits_for_its_token():
    time = Time()
    paced = pace(time)
    for _ in range(5):
        paced.take("Run")
    assert time.slept == 0
    for _ in range(4):
        paced.take("Run")
    assert time.slept == pytest.approx(2.0)
    paced.take("Other")  # has a bucket of its own
    assert time.slept == pytest.approx(2.0)


def test_a_bucket_fills_up_again_but_no_higher():
    time = Time()
    paced = pace(time)
    for _ in range(5):
        paced.take("Run")
    time.now += 3600
    for _ in range(6):
        paced.take("Run")
    assert time.slept == pytest.approx(0.5)


@given(st.lists(st.floats(0, 10), min_size=1, max_size=60))
def test_there_are_never_more_calls_than_burst_and_rate_allow(pauses):
    time = Time()
    paced, calls = pace(time), []
    for pause in pauses:
        time.now += pause
        paced.take("Run")
        calls.append(time.now)
    for first, begin in enumerate(calls):
        for last in range(first, len(calls)):
            assert last - first + 1 <= 5 + (calls[last] - begin) * 2 + 1e-6


def test_pauses_double_up_to_a_minute_and_end_with_an_answer():
    time = Time()
    paced, pauses = pace(time), []
    for _ in range(9):
        paced.throttled("Run")
        with pytest.raises(ThrottledError, match="Run was called too often"):
            paced.take("Run")
        start = time.now
        while True:
            try:
                paced.take("Run")
                break
            except ThrottledError:
                time.now += 0.25
        pauses.append(time.now - start)
    assert pauses == [1, 2, 4, 8, 16, 32, 64, 64, 64]
    paced.answered("Run")
    paced.throttled("Run")
    time.now += 1
    paced.take("Run")


def test_a_pause_is_of_one_api_only():
    time = Time()
    paced = pace(time)
    paced.throttled("Run")
    paced.take("Other")
    assert time.slept == 0


def test_a_resource_has_a_bucket_of_its_own():
    time = Time()
    paced = pace(time)
    for _ in range(5):
        paced.take("Run:one")
    paced.take("Run:two")
    assert time.slept == 0
    paced.take("Run:one")
    assert time.slept == pytest.approx(0.5)


def test_the_delay_is_what_a_call_would_wait():
    time = Time()
    paced = pace(time)
    for _ in range(5):
        assert paced.delay("Run") == 0
        paced.take("Run")
    assert paced.delay("Run") == pytest.approx(0.5)
    paced.throttled("Run")
    assert paced.delay("Run") == pytest.approx(1.0)
    time.now += paced.delay("Run")
    assert paced.delay("Run") == 0
    paced.take("Run")
    assert time.slept == 0


def test_a_pause_is_as_long_as_the_cloud_says():
    time = Time()
    paced = pace(time)
    paced.throttled("Run", 30)
    assert paced.delay("Run") == pytest.approx(30)
    with pytest.raises(ThrottledError, match="no calls for another 30 s"):
        paced.take("Run")
