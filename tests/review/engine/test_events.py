"""What a log of events says beside the steps: how the run ended, and what policies say."""

import json
from typing import Any

import pytest

from hpc_components.review.document import Side
from hpc_components.review.engine.events import run_of_events
from hpc_components.review.engine.make import review_of_run
from hpc_components.review.engine.run import Run
from hpc_components.review.headline import verdict
from hpc_components.review.render.markdown import render_markdown_review
from hpc_components.review.verdict import conditions
from hpc_components.review.wording import Urgency, urgency
from tests.review.engine.made import DISK, event, state, urn

PRELUDE = event(preludeEvent={"config": {}})
SAME = event(
    resourcePreEvent={
        "metadata": {"op": "same", "urn": urn(DISK, "d"), "old": state(), "new": state(), "detailedDiff": None}
    }
)


def end(result: str = "succeeded") -> str:
    return event(summaryEvent={"resourceChanges": {"same": 1}, "result": result})


def violation(level: str = "mandatory", **more: Any) -> str:
    said = {
        "resourceUrn": urn(DISK, "d"),
        "message": "<{%fg 13%}>Disks must be <encrypted>.<{%reset%}>\n",
        "policyName": "disks-encrypted",
        "policyPackName": "site",
        "enforcementLevel": level,
    }
    return event(policyEvent=said | more)


def said(severity: str, message: str) -> str:
    return event(diagnosticEvent={"prefix": f"{severity}: ", "message": message, "severity": severity})


def run_of(*lines: str) -> Run:
    return run_of_events([json.loads(line) for line in lines])


def test_a_run_that_ends_well() -> None:
    run = run_of(PRELUDE, SAME, said("warning", "old"), said("debug", "Traceback"), end())
    assert (run.failure, run.violations, len(run.steps)) == ("", (), 1)


@pytest.mark.parametrize(
    ("lines", "failure"),
    [
        ((PRELUDE, SAME), "The log ends before the summary: the run was stopped or is still in progress."),
        ((PRELUDE, SAME, said("error", "boom\n"), end("failed")), "error: boom"),
        ((PRELUDE, SAME, said("error", "<{%fg 1%}>boom<{%reset%}>"), end("succeeded")), "error: boom"),
        ((PRELUDE, SAME, end("failed")), "The run failed, but the log contains no error message."),
        ((PRELUDE, SAME, end("canceled")), "The run was canceled."),
    ],
)
def test_a_run_that_fails_is_never_a_green_review(lines: tuple[str, ...], failure: str) -> None:
    run = run_of(*lines)
    assert run.failure == failure
    found = review_of_run(run, Side(source="log"))
    assert found.failure == failure
    assert urgency(found) is Urgency.ALARM
    assert "🛑 **This change could not be reviewed.**" in render_markdown_review(found)


def test_of_several_runs_the_last_one_counts() -> None:
    run = run_of(PRELUDE, SAME, said("error", "boom"), end("failed"), PRELUDE, SAME, end())
    assert (run.failure, len(run.steps)) == ("", 1)


def test_what_policies_forbid_is_a_finding_and_stops_the_stack() -> None:
    found = review_of_run(
        run_of(PRELUDE, SAME, violation(), violation("advisory"), end("failed")), Side(source="log")
    )
    assert found.failure == ""
    assert [(each["id"], each["level"], each["path"]) for each in found.findings.now] == [
        ("site/disks-encrypted", "error", "Disk d"),
        ("site/disks-encrypted", "warning", "Disk d"),
    ]
    assert found.findings.now[0]["reason"] == "Disks must be <encrypted>."
    assert verdict(found) == "nothing changes; 1 error"
    assert urgency(found) is Urgency.ALARM
    (condition,) = conditions("error")
    assert condition.holds(found)
    comment = render_markdown_review(found)
    assert "**error** `site/disks-encrypted` **Disk d**<br>Disks must be &lt;encrypted&gt;." in comment
    assert "→ \n" not in comment


def test_what_a_policy_advises_is_no_alarm() -> None:
    found = review_of_run(run_of(PRELUDE, SAME, violation("advisory"), end()), Side(source="log"))
    assert urgency(found) is Urgency.FINE
    assert "disks-encrypted" in render_markdown_review(found)


def test_what_a_policy_has_changed_is_told() -> None:
    remediation = {
        "resourceUrn": urn(DISK, "d"),
        "policyName": "disks-encrypted",
        "policyPackName": "site",
        "before": {"encrypted": False, "size": 1},
        "after": {"encrypted": True, "size": 1},
    }
    run = run_of(PRELUDE, SAME, event(policyRemediationEvent=remediation), end())
    (finding,) = run.violations
    assert (finding["level"], finding["path"]) == ("info", "Disk d")
    assert finding["reason"] == "The policy changed encrypted, overriding the program."


def test_a_violation_of_no_resource_is_of_the_stack() -> None:
    (finding,) = run_of(PRELUDE, SAME, violation(resourceUrn=""), end()).violations
    assert finding["path"] == "stack"
