"""Runs a command on a node and reads what it prints."""

import subprocess
from collections.abc import Mapping, Sequence

from hpc_components.operate.reach import HEAD, Reach
from hpc_components.operate.sections import Section, Sections
from hpc_components.operate.ways import ReachError

LOST = 255
"""ssh's own exit code if it has no connection, or has lost it. Source: ssh(1)."""


def ask_node(reach: Reach, commands: Mapping[str, Sequence[str]], node: str = HEAD) -> dict[str, Section]:
    """Run commands on a node in one call, and return their outputs by name.

    Messages and questions of ssh go to the terminal. Raise ReachError if the node can't be reached.
    """
    found, _ = _run(reach, Sections(commands), node, stderr=None)
    if found is None:
        raise unreachable(reach, node)
    return found


def try_node(
    reach: Reach, commands: Mapping[str, Sequence[str]], node: str = HEAD, needs: Mapping[str, str] | None = None
) -> tuple[dict[str, Section] | None, str]:
    """Run commands on a node in one call. Return their outputs by name, or None if the node can't be reached, and
    what ssh wrote to standard error.

    ssh still asks its questions on the terminal. `needs` is that of `Sections`.
    """
    return _run(reach, Sections(commands, needs), node, stderr=subprocess.PIPE)


def _run(reach: Reach, sections: Sections, node: str, *, stderr: int | None) -> tuple[dict[str, Section] | None, str]:
    done = subprocess.run(
        reach.ssh(node, sections.script), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=stderr, check=False
    )
    said = (done.stderr or b"").decode(errors="replace")
    found = sections.parse(done.stdout.decode(errors="replace").split("\n"))
    complete = done.returncode != LOST and set(found) == set(sections.commands)
    return (found if complete else None), said


def unreachable(reach: Reach, node: str) -> ReachError:
    """Return the error for a node that ssh has no connection to."""
    return ReachError(
        f"can't reach {node} of cluster {reach.cluster} by {reach.title()}: ssh says why above; the same command line"
        f" is shown by `hpc ssh --print`, and other ways are chosen by --via"
    )
