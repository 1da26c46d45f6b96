"""Times as Slurm reads and writes them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hpc_components.spec.slurm.times import is_slurm_time, minutes, proposed_time, slurm_time


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("90", 90), ("90:30", 90.5), ("12:00:00", 720), ("2-0", 2880), ("2-12", 3600), ("1-01:30", 1530),
        ("1-01:30:30", 1530.5), ("INFINITE", float("inf")), ("-1", float("inf")), ("2d", None), ("1:2:3:4", None),
        ("1-", 1440), ("", None), ("-5", None), ("1-2-3", None),
    ],
)  # fmt: skip
def test_a_time_is_read_in_minutes(text, value):
    assert minutes(text) == value
    assert is_slurm_time(text) is (value is not None)


@settings(deadline=None)
@given(st.integers(0, 40), st.integers(0, 23), st.integers(0, 59), st.integers(0, 59))
def test_our_times_are_written_slurm_s_way(days, hours, mins, seconds):
    proposed = proposed_time(f"{days}d{hours}h{mins}m{seconds}s")
    assert proposed is not None
    assert minutes(proposed) == pytest.approx(days * 1440 + hours * 60 + mins + seconds / 60)


@given(st.integers(0, 10**9))
def test_what_is_written_is_read_again(seconds):
    assert minutes(slurm_time(seconds)) == pytest.approx(seconds / 60)
