"""Comments with what jobs have cost."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpc_components.bill.node import job_comments
from hpc_components.bill.node.job_comments import Ended, can_be_kept, parse, selector_of, with_cost
from hpc_components.bill.node.mail import job_of

SACCT = """\
1|1|COMPLETED|1764336946|
2|15_0|CANCELLED by 1000|1764336946|held
until|noon
15|15_1|FAILED|1764336946|a|b
16|16|REQUEUED|1764336946|
17|17|RUNNING|Unknown|
18|18+0|TIMEOUT|1764336946|
19|18+1|NODE_FAIL|1764336946|
20|20_[1-9]|PENDING|Unknown|
"""


def test_jobs_that_have_ended_are_found_with_their_whole_comments() -> None:
    assert [(one.job, one.selector, one.comment) for one in parse(SACCT)] == [
        ("1", "1", ""),
        ("2", "2", "held\nuntil|noon"),
        ("15", "15_1", "a|b"),
        ("18", "18+0", ""),
        ("19", "19", ""),
    ]


@given(st.lists(st.text(st.characters(blacklist_characters="\n", blacklist_categories=("Cs",)))))
def test_any_comment_is_read_as_it_was_written(comments: list[str]) -> None:
    lines = [f"{job}|{job}|COMPLETED|1|{comment}" for job, comment in enumerate(comments, 1)]
    assert parse("".join(f"{line}\n" for line in lines)) == [
        Ended(job=str(job), selector=str(job), comment=comment) for job, comment in enumerate(comments, 1)
    ]


@pytest.mark.parametrize(
    ("micros", "text"),
    [
        (0, "about 0.00"),
        (1, "less than 0.01"),
        (4999, "less than 0.01"),
        (5000, "about 0.01"),
        (1_234_567_890, "about 1,234.57"),
    ],
)
def test_costs_are_rounded_to_cents(micros: int, text: str) -> None:
    assert with_cost("", micros) == f"cost {text} USD"
    assert with_cost("kept", micros) == f"kept; cost {text} USD"


def test_a_number_that_others_share_is_replaced_by_the_name() -> None:
    assert selector_of("15", "15_3") == "15_3"
    assert selector_of("16", "15_2") == "16"
    assert selector_of("1", "15_1") == "1"


@pytest.mark.parametrize(
    ("comment", "kept_by_old", "kept_by_new"),
    [
        ("", True, True),
        ("café; a|b", True, True),
        ("No GPU", False, True),
        ("it's", False, False),
        ('"', False, False),
    ],
)
def test_comments_that_sacctmgr_would_change_are_left_alone(
    comment: str, kept_by_old: bool, kept_by_new: bool
) -> None:
    assert can_be_kept(comment, keeps_capitals=False) is kept_by_old
    assert can_be_kept(comment, keeps_capitals=True) is kept_by_new


@pytest.mark.parametrize(
    ("subject", "job"),
    [
        ("Slurm Job_id=12 Name=x Ended, Run time 00:00:03, COMPLETED, ExitCode 0", "12"),
        ("Slurm Array Task Job_id=15_2 (17) Name=x Ended, Run time 00:00:03", "15_2"),
        ("Slurm Array Summary Job_id=15_* (15) Name=x Ended, COMPLETED", "15"),
        ("Hello, Slurm Job_id=12 Name=x", None),
        ("Slurm Job_id=1; rm Name=x", None),
        ("", None),
    ],
)
def test_the_job_is_read_from_the_subject_of_its_mail(subject: str, job: str | None) -> None:
    assert job_of(subject) == job


@pytest.mark.parametrize(("content", "time"), [(None, 70), ("", 70), ("torn\0", 70), ("60", 60)])
def test_a_lost_record_of_what_was_written_means_now(
    content: str | None, time: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job_comments, "DONE", tmp_path / "done")
    if content is not None:
        (tmp_path / "done").write_text(content)
    assert job_comments.written_until(70) == time
