"""Shows what `hpc preflight` found, in the formats of `hpc validate`."""

from dataclasses import asdict
from typing import Any

from hpc_components.preflight.run import LeftOut, Preflight
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.printable import json_text
from hpc_components.spec.report import Format, Judged
from hpc_components.spec.report import report as report_findings
from hpc_components.spec.validate import Judgement
from hpc_components.wording import plural


def report(
    file: str,
    cluster: ClusterSpec,
    done: Preflight,
    format: Format,
    *,
    colour: bool = False,
    width: int | None = None,
) -> str:
    """Return the result in a format of `hpc validate`. Checks that were left out are always included."""
    if format == "json":
        return _as_json(file, cluster, done)
    judged = Judged(file, Judgement(cluster, done.findings, done.silenced))
    findings = report_findings([judged], format, colour=colour, width=width)
    if format == "github":
        left_out = [f"::warning title=hpc preflight::left out: {_in_words(each)}" for each in done.left_out]
        return "\n".join(each for each in (findings, *left_out) if each)
    counted = f"asked {done.who}: {plural(len(done.answered), 'check')} answered, {len(done.left_out)} left out"
    return "\n".join([findings, counted, *(f"left out: {_in_words(each)}" for each in done.left_out)])


def _in_words(left_out: LeftOut) -> str:
    keys = f" (for {', '.join(left_out.keys)})" if left_out.keys else ""
    return f"{left_out.check}{keys}: {left_out.reason}"


def _as_json(file: str, cluster: ClusterSpec, done: Preflight) -> str:
    document: dict[str, Any] = {
        "preflight": 1,
        "file": file,
        "cluster": cluster.name,
        "account": done.who,
        "findings": [each.to_dict() for each in done.findings],
        "silenced": [each.to_dict() for each in done.silenced],
        "answered": list(done.answered),
        "left_out": [asdict(each) for each in done.left_out],
    }
    return json_text(document, indent=2)
