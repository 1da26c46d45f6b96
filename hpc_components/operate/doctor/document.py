"""The document of `hpc doctor`: diagnoses with the commands to paste. Keys are only ever added to it."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hpc_components.operate.doctor.ask import Examination
from hpc_components.operate.doctor.cause import Step
from hpc_components.operate.doctor.diagnose import Diagnosis
from hpc_components.wording import plural

VERSION = 1

STACK = "{stack}"
"""Stands for the stack and the options of the way to it in a command for the laptop."""


@dataclass(frozen=True, kw_only=True)
class Target:
    """What the user typed to name the cluster."""

    stack: str
    options: Sequence[str] = ()
    """Options of the way to it, e.g. `--via login`."""

    def line(self, step: Step) -> str:
        """Return the command line to paste."""
        if step.on == "head":
            return shlex.join(["hpc", "run", self.stack, *self.options, "--", *step.command])
        if step.on != "laptop":
            return shlex.join(["hpc", "ssh", self.stack, step.on, *self.options, "--", *step.command])
        if STACK not in step.command:
            return shlex.join(step.command)
        place = step.command.index(STACK)
        return shlex.join([*step.command[:place], self.stack, *step.command[place + 1 :], *self.options])


def doctor_document(cluster: str, node: str | None, examination: Examination, target: Target) -> dict[str, Any]:
    return {
        "doctor": VERSION,
        "cluster": cluster,
        "node": node,
        "well": examination.is_well,
        "diagnoses": [_diagnosis(each, target) for each in examination.diagnoses],
        "left_out": [{"what": what, "because": because} for what, because in examination.left_out],
    }


def _diagnosis(each: Diagnosis, target: Target) -> dict[str, Any]:
    return {
        "id": each.id,
        "level": str(each.level),
        "what": each.found.what,
        "why": each.found.why,
        "commands": [target.line(step) for step in each.found.do],
        "nodes": list(each.found.nodes),
        "jobs": list(each.found.jobs),
        "explains": [_diagnosis(other, target) for other in each.explains],
    }


def headline(document: dict[str, Any]) -> str:
    """Return one line that says whether all is well."""
    wrong = [each for each in document["diagnoses"] if each["level"] != "info"]
    where = f"cluster {document['cluster']}" + (f", node {document['node']}" if document["node"] else "")
    return f"{where}: " + (plural(len(wrong), "problem") if wrong else "all is well")
