"""Asks a cluster, and returns what is wrong: with it, with a node, or on the way to it."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from hpc_components.operate.doctor import questions
from hpc_components.operate.doctor.diagnose import Diagnosis, diagnose
from hpc_components.operate.doctor.facts import Facts
from hpc_components.operate.doctor.machine_facts import read_credential
from hpc_components.operate.doctor.unreachable import missing, why_no_login, why_unreachable
from hpc_components.operate.reach import HEAD, LOGIN, Reach, checked_name
from hpc_components.operate.run_on_node import try_node
from hpc_components.operate.sections import Section


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
    if node == LOGIN:
        return _login(reach, progress)
    progress(f"asking the head node of cluster {reach.cluster} by {reach.title()} ...")
    began = time.time()
    commands = questions.HEAD if node == HEAD else questions.about_node(node)
    found, said = try_node(reach, commands, needs=questions.NEEDS)
    if found is None:
        return _unreachable(reach, said)
    if node != HEAD:
        return _node(reach, node, found, progress)
    facts = Facts(found, began)
    return Examination(diagnoses=diagnose(facts), left_out=facts.left_out)


def _unreachable(reach: Reach, said: str) -> Examination:
    away = [("the cluster", "the head node can't be reached")]
    return Examination(diagnoses=[why_unreachable(reach, said)], left_out=away)


def _login(reach: Reach, progress: Callable[[str], None]) -> Examination:
    progress(f"asking a login node of cluster {reach.cluster} ...")
    found, said = try_node(reach, questions.NODE, node=LOGIN)
    if found is None:
        return Examination(diagnoses=[why_no_login(said)], left_out=[("a login node", "none can be reached")])
    facts = Facts(found)
    return Examination(diagnoses=diagnose(facts, about_node=True), left_out=facts.left_out)


def _node(reach: Reach, node: str, found: Mapping[str, Section], progress: Callable[[str], None]) -> Examination:
    """Ask a compute node itself, unless the head node has not even reached it."""
    theirs, unanswered = None, "the head node can't log in to it"
    if read_credential(found["credential"].text)[0]:
        progress(f"asking {node} ...")
        theirs, said = try_node(reach, questions.NODE, node=node)
        unanswered = (said.strip().splitlines() or ["no answer"])[-1]
    facts = Facts({**(theirs or {}), **found})
    left_out = facts.left_out if theirs else [*facts.left_out, (node, unanswered)]
    return Examination(diagnoses=diagnose(facts, about_node=True), left_out=left_out)
