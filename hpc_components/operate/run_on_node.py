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
    sections = Sections(commands)
    done = subprocess.run(
        reach.ssh(node, sections.script), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=False
    )
    found = sections.parse(done.stdout.decode(errors="replace").split("\n"))
    if done.returncode == LOST or set(found) != set(commands):
        raise unreachable(reach, node)
    return found


def unreachable(reach: Reach, node: str) -> ReachError:
    """Return the error for a node that ssh has no connection to."""
    return ReachError(
        f"can't reach {node} of cluster {reach.cluster} by {reach.title()}: ssh says why above; the same command line"
        f" is shown by `hpc ssh --print`, and other ways are chosen by --via"
    )
