"""Reads engine event logs, which contain one JSON object per line.

Event logs are written by `pulumi up --json`, streaming previews and `--event-log`.

Source: pulumi, sdk/go/common/apitype/events.go, EngineEvent.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from hpc_components.review.engine.run import PropertyDifference, Run, Step
from hpc_components.review.engine.states import split_urn

_Event = Mapping[str, Any]

_CUT = "The log ends before the summary: the run was stopped or is still in progress."
_CANCELED = "The run was canceled."
_SILENT = "The run failed, but the log contains no error message."

_LEVELS = {"mandatory": "error", "remediate": "error", "advisory": "warning"}
"""Maps policy enforcement levels to finding levels. The engine stops at violations of the first two levels."""


def is_event(document: Mapping[str, Any]) -> bool:
    return "sequence" in document and any(key.endswith("Event") for key in document)


def run_of_events(events: Sequence[_Event]) -> Run:
    """Return the last run in the log. `pulumi up` logs two runs, because it previews first."""
    begins = [index for index, event in enumerate(events) if "preludeEvent" in event]
    events = events[begins[-1] :] if begins else events
    summaries = list(_of(events, "summaryEvent"))
    violations = (
        *(_violation(each) for each in _of(events, "policyEvent") if each["enforcementLevel"] in _LEVELS),
        *(_remediation(each) for each in _of(events, "policyRemediationEvent")),
    )
    return Run(
        steps=tuple(_step(each["metadata"]) for each in _of(events, "resourcePreEvent")),
        config=next((each.get("config") for each in _of(events, "preludeEvent")), None) or {},
        failure=_failure(events, summaries, violations),
        violations=violations,
        has_policies=True,
    )


def _of(events: Iterable[_Event], kind: str) -> Iterator[Mapping[str, Any]]:
    return (event[kind] for event in events if kind in event)


def _failure(events: Iterable[_Event], summaries: Sequence[_Event], violations: Sequence[_Event]) -> str:
    """Return why the run failed, or "" if it succeeded or only policies stopped it."""
    said = [each for each in _of(events, "diagnosticEvent") if each["severity"] == "error"]
    if said:
        return "\n".join(_without_colours(f"{each.get('prefix', '')}{each['message']}") for each in said)
    if not summaries:
        return _CUT
    result = summaries[-1].get("result")
    if result == "canceled":
        return _CANCELED
    stopped = any(each["level"] == "error" for each in violations)
    return _SILENT if result == "failed" and not stopped else ""


def _step(metadata: Mapping[str, Any]) -> Step:
    detail = metadata.get("detailedDiff") or {}
    return Step(
        op=metadata["op"],
        urn=metadata["urn"],
        old=metadata.get("old"),
        new=metadata.get("new"),
        changed=tuple(metadata.get("diffs") or ()),
        replacing=tuple(metadata.get("keys") or ()),
        detail={
            path: PropertyDifference(
                replaces=each["diffKind"].endswith("-replace"), of_inputs=each.get("inputDiff", False)
            )
            for path, each in detail.items()
        },
    )


def _violation(event: Mapping[str, Any]) -> dict[str, Any]:
    return _finding(event, _LEVELS[event["enforcementLevel"]], _without_colours(event["message"]))


def _remediation(event: Mapping[str, Any]) -> dict[str, Any]:
    before, after = (event.get(key) or {} for key in ("before", "after"))
    names = sorted(name for name in {*before, *after} if before.get(name) != after.get(name))
    changed = ", ".join(names) or "nothing"
    return _finding(event, "info", f"The policy changed {changed}, overriding the program.")


def _finding(event: Mapping[str, Any], level: str, reason: str) -> dict[str, Any]:
    """Return a finding in the form that `Finding.to_dict` returns, with the resource as its path.

    The remedy is empty, because a policy provides only a message.
    """
    urn = event.get("resourceUrn", "")
    _, _, types, name = split_urn(urn) if urn else ("", "", ("stack",), "")
    return {
        "id": f"{event['policyPackName']}/{event['policyName']}",
        "level": level,
        "path": f"{types[-1].rpartition(':')[2]} {name}".strip(),
        "reason": reason,
        "remedy": "",
    }


def _without_colours(text: str) -> str:
    return re.sub(r"<\{%.*?%\}>", "", text).strip()
