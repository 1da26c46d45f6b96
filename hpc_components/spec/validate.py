"""Validates a description: parses it, applies every rule, and reports all findings together.

Malformed descriptions are repaired so that rules can check them as well. Ten errors of any kind therefore yield ten
findings.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Finding, Level, Path, Problem, dotted
from hpc_components.spec.neighbours import NEIGHBOUR_RULES, neighbour_problems, neighbours
from hpc_components.spec.parsing import FORM_RULES, read_form
from hpc_components.spec.parsing_messages import yaml_text
from hpc_components.spec.project import CLUSTER_KEY, StackFile
from hpc_components.spec.retired import RETIRED
from hpc_components.spec.rule import RuleText, find_rule, rules_for
from hpc_components.spec.source import Document

UNUSED_SILENCE = "HPC-SIL-004"

JUDGE_RULES = {id: RuleText(id, Level.ERROR, title, "") for id, title in FORM_RULES.items()} | {
    UNUSED_SILENCE: RuleText(
        UNUSED_SILENCE,
        Level.WARNING,
        "Each id under `silence` must have a finding; otherwise the line is no longer needed",
        "",
    )
}
"""Rule texts for findings that this module itself reports, keyed by id. These findings can't be silenced."""


@dataclass(frozen=True)
class Judgement:
    """The result of validating a description."""

    cluster: ClusterSpec | None
    """The cluster, or None if the description is malformed."""
    findings: tuple[Finding, ...]
    """All findings to report, most severe first."""
    silenced: tuple[Finding, ...] = ()
    """Findings that the description silences, with the user's reason for each."""

    @property
    def errors(self) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if finding.level is Level.ERROR)


def judge_stack(file: StackFile) -> Judgement:
    return judge(file.cluster, neighbours(file))


def judge(document: Document, others: Sequence[Document] | None = None) -> Judgement:
    """Validate a cluster. `document` is the value of `hpc:cluster`.

    `others` contains the descriptions of the project's other clusters, or is None if they are unknown.
    """
    form = read_form(document.data, document.written)
    findings = [locate(id, Level.ERROR, problem, document) for id, problem in form.problems]
    if form.cluster is not None:
        findings += _apply_rules(form.cluster, form.left_out, document)
    findings += [
        locate(id, NEIGHBOUR_RULES[id].level, problem, document)
        for id, problem in neighbour_problems(document, others or ())
    ]
    requested = form.cluster.silence if form.cluster else {}
    known = {id for id in requested if find_rule(id) or id in NEIGHBOUR_RULES or id in RETIRED}
    silence = {id: reason for id, reason in requested.items() if id in known and reason.strip()}
    if not form.problems:
        expected = silence if others is not None else silence.keys() - NEIGHBOUR_RULES.keys()
        findings += _unused(expected, {finding.id for finding in findings}, document)
    reported = sorted((finding for finding in findings if finding.id not in silence), key=_own_findings_first)
    silenced = [replace(finding, silenced=silence[finding.id]) for finding in findings if finding.id in silence]
    return Judgement(
        cluster=None if form.problems else form.cluster,
        findings=tuple(reported),
        silenced=tuple(sorted(silenced, key=Finding.sort_key)),
    )


def _own_findings_first(finding: Finding) -> tuple[Any, ...]:
    return (finding.level.rank, finding.id in NEIGHBOUR_RULES, *finding.sort_key())


def _apply_rules(cluster: ClusterSpec, left_out: frozenset[Path], document: Document) -> Iterator[Finding]:
    for rule in rules_for(cluster):
        for problem in rule(cluster):
            if not _depends_on(problem.path, left_out):
                yield locate(rule.id, problem.level or rule.level, problem, document)


def _unused(silence: Collection[str], found: Collection[str], document: Document) -> Iterator[Finding]:
    level = JUDGE_RULES[UNUSED_SILENCE].level
    for id in silence:
        if id not in found:
            reason = (
                f"the rule {id} was removed: {RETIRED[id]}" if id in RETIRED else f"rule {id} has no finding here"
            )
            problem = Problem(path=("silence", id), reason=reason, remedy="leave this out")
            yield locate(UNUSED_SILENCE, level, problem, document)


def _depends_on(path: Path, left_out: frozenset[Path]) -> bool:
    """Return whether `path` is in a repaired part of the description or contains one.

    The cause of a problem at such a path has already been reported. For example, if the key for a file system's size
    is misspelt, the size should not also be reported as missing.
    """
    return any(path[: len(gone)] == gone or (path and gone[: len(path)] == path) for gone in left_out)


def locate(id: str, level: Level, problem: Problem, document: Document) -> Finding:
    """Return a problem as a finding with this rule id and level, at the problem's place in the document."""
    key = problem.path in document.keys and problem.value is None
    where = document.position(problem.path, key=key)
    return Finding(
        id=id,
        level=level,
        path=dotted(problem.path) or CLUSTER_KEY,
        value=_plain(problem.value),
        reason=problem.reason,
        remedy=problem.remedy,
        fix=problem.fix,
        file=document.file_of(problem.path),
        line=where.line if where else None,
        column=where.column if where else None,
        about=problem.about,
        places=tuple(map(dotted, problem.places)),
    )


def _plain(value: Any) -> Any:
    if isinstance(value, dict | list):
        return yaml_text(value)
    return value if isinstance(value, str | int | float | bool | None) else str(value)
