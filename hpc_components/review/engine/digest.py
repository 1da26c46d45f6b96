"""Reads the output of `pulumi preview --json`.

Source: pulumi, pkg/display/json.go, PreviewDigest.
"""

from collections.abc import Mapping
from typing import Any

from hpc_components.review.engine.run import PropertyDifference, Run, Step

_CUT = "The preview ended before its summary: it was stopped, or it failed without an error message."


def is_digest(document: Mapping[str, Any]) -> bool:
    return bool({"steps", "changeSummary", "diagnostics"} & document.keys())


def run_of_digest(document: Mapping[str, Any]) -> Run:
    """Unchanged resources are included only if `--show-sames` was used."""
    steps = tuple(map(_step, document.get("steps") or ()))
    counts = document.get("changeSummary")
    errors = [each["message"] for each in document.get("diagnostics") or () if each["severity"] == "error"]
    return Run(
        steps=steps,
        config=document.get("config") or {},
        failure="\n".join(each.strip() for each in errors) or ("" if counts else _CUT),
        is_whole=sum(step.op == "same" for step in steps) == (counts or {}).get("same", 0),
    )


def _step(step: Mapping[str, Any]) -> Step:
    detail = step.get("detailedDiff") or {}
    return Step(
        op=step["op"],
        urn=step["urn"],
        old=step.get("oldState"),
        new=step.get("newState"),
        changed=tuple(step.get("diffReasons") or ()),
        replacing=tuple(step.get("replaceReasons") or ()),
        detail={
            path: PropertyDifference(replaces=each["kind"].endswith("-replace"), of_inputs=each["inputDiff"])
            for path, each in detail.items()
        },
    )
