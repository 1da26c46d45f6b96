"""Asks a cluster, and returns what is wrong: with it, with a node, or on the way to it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from hpc_components.operate.doctor import questions
from hpc_components.operate.doctor.diagnose import Diagnosis, diagnose
from hpc_components.operate.doctor.facts import Facts
from hpc_components.operate.doctor.unreachable import missing, why_unreachable
from hpc_components.operate.reach import HEAD, LOGIN, Reach, checked_name
from hpc_components.operate.run_on_node import try_node


@dataclass(frozen=True, kw_only=True)
class Examination:
    diagnoses: Sequence[Diagnosis]
    left_out: Sequence[tuple[str, str]]
    """What could not be asked, with the reason."""

    @property
    def is_well(self) -> bool:
        return not any(each.level in ("error", "warning") for each in self.diagnoses)


def examine(reach: Reach, node: str = HEAD, progress: Callable[[str], None] = lambda text: None) -> Examination:
    """Ask the head node, and another node if one is named. Raise ReachError if `node` is not a node's name."""
    checked_name(node, "NODE")
    if absent := missing(reach):
        return Examination(diagnoses=absent, left_out=[("the cluster", "a program is missing on this machine")])
    about_node = node not in (HEAD, LOGIN)
    progress(f"asking the head node of cluster {reach.cluster} by {reach.title()} ...")
    commands = questions.about_node(node) if about_node else questions.HEAD
    found, said = try_node(reach, commands, needs=questions.NEEDS)
    if found is None:
        return Examination(
            diagnoses=[why_unreachable(reach, said)],
            left_out=[("the cluster", "the head node can't be reached")],
        )
    if not about_node:
        facts = Facts(found)
        return Examination(diagnoses=diagnose(facts), left_out=facts.left_out)
    return _examined_node(reach, node, found, progress)


def _examined_node(reach: Reach, node: str, found: Mapping, progress: Callable[[str], None]) -> Examination:
    progress(f"asking {node} ...")
    theirs, said = try_node(reach, questions.NODE, node=node)
    facts = Facts({**(theirs or {}), **found})
    unanswered = (
        [] if theirs else [(f"{node} itself", said.strip().splitlines()[-1] if said.strip() else "no answer")]
    )
    return Examination(diagnoses=diagnose(facts, about_node=True), left_out=[*facts.left_out, *unanswered])
