"""Columns of `squeue`, whatever people write."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpc_components.bill.node import queue

COLUMNS = ("jobid", "state", "account", "tres-alloc", "admin_comment")
HOSTILE = st.text(st.sampled_from("a =|\n\t\r\x0b\x1c\u2028é'\"$;,01"), max_size=60)


def line(fields: dict[str, str]) -> str:
    """A line as `squeue -O` prints it: each field cut to its width, or padded."""
    return "".join(fields[name][: queue._WIDTHS[name]].ljust(queue._WIDTHS[name]) for name in COLUMNS)


@given(st.lists(HOSTILE, max_size=5))
def test_comments_take_no_place_of_other_fields(comments: list[str]) -> None:
    jobs = [
        {
            "jobid": str(10 + at),
            "state": "RUNNING",
            "account": "lab",
            "tres-alloc": "billing=5",
            "admin_comment": text,
        }
        for at, text in enumerate(comments)
    ]
    found = queue.parse("".join(f"{line(one)}\n" for one in jobs), COLUMNS)
    assert [one["jobid"] for one in found] == [one["jobid"] for one in jobs]
    for one in found:
        assert (one["state"], one["account"], queue.billing_of(one)) == ("RUNNING", "lab", 5)


@pytest.mark.parametrize(
    ("text", "billing"),
    [
        ("cpu=96,mem=190080M,node=1,billing=9600000", 9_600_000),
        ("cpu=1,billing=7,gres/gpu=1", 7),
        ("cpu=1", 0),
        ("N/A", 0),
    ],
)
def test_billing_is_taken_from_a_list(text: str, billing: int) -> None:
    assert queue.billing_of({"tres-alloc": text}) == billing
