"""Drains this node in Slurm."""

import os
import re
import subprocess
import sys
from collections.abc import Sequence

from hpc_components.health.node.commands import NoAnswerError, run

REASON_PREFIX = "hpc: health: "
"""Prefix of the reason of a drained node. The elastic daemon replaces the machines of nodes with its own prefix,
`hpc: `."""
SLURMS_OWN = ("Prolog error", "Epilog error", "Prolog/Epilog failure")
"""Prefixes of the reasons that Slurm sets if the prolog or epilog fails, which our reason replaces. Source: see
`FAULTS` in hpc_components/elastic/slurm/node_states.py."""
_MAX_REASON = 200
_SECONDS = 20.0


def reason_of(failures: Sequence[str]) -> str:
    """Return the reason for these failures. It names the first check, then the others as far as there is room."""
    words = REASON_PREFIX + "; ".join(failures)
    return re.sub(r"[^\x20-\x7e]", "?", words)[:_MAX_REASON]


def drain(node: str, reason: str) -> str:
    """Drain the node, unless an administrator has. Return what was done, as a sentence for the log.

    Raise OSError if Slurm does not answer.
    """
    shown = _scontrol("show", "node", node, "--oneliner")
    states = re.search(r"(?:^| )State=(\S+)", shown)
    drained = states is not None and not {"DRAIN", "DOWN"}.isdisjoint(re.split(r"[+*]", states[1]))
    known = re.search(r" Reason=(.*?)(?: \[[^\s\[\]]+@[^\s\[\]]+\]|$)", shown, re.M)
    why = known[1] if known else ""
    if drained and why.startswith("hpc: "):
        return f"already drained: {why}"
    if drained and not why.startswith(SLURMS_OWN):
        return f"already drained by an administrator: {why}"
    _scontrol("update", f"nodename={node}", "state=drain", f"reason={reason}")
    return f"drained: {reason}"


def drain_later(words: Sequence[str]) -> None:
    """Start `words`, which drain this node, as a process that outlives this one.

    A prolog must not call Slurm's commands: "Prolog and Epilog scripts should be designed to be as short as possible
    and should not call Slurm commands". Source: Slurm, Prolog and Epilog Guide. Slurm kills the prolog's process
    group when the prolog has ended; the new process has a group of its own.
    """
    null = subprocess.DEVNULL
    subprocess.Popen(
        [sys.argv[0], *words], stdin=null, stdout=null, stderr=null, start_new_session=True, close_fds=True
    )


def _scontrol(*words: str) -> str:
    try:
        answer = run(["scontrol", *words], _SECONDS)
    except NoAnswerError as error:
        raise TimeoutError(str(error)) from None
    if answer is None or answer.code:
        raise OSError(f"scontrol {words[0]}: " + ("not found" if answer is None else f"exit code {answer.code}"))
    return answer.text


def this_node() -> str:
    """Return the name of this node, which is its host name."""
    return os.environ.get("SLURMD_NODENAME") or os.uname().nodename.partition(".")[0]
