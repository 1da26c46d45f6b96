"""A node's logs: its last lines, what is added to them, or all of them in a folder.

Everything is one call on the node. Which files there are depends on the node's role; those that are missing are left
out.
"""

import shlex
import subprocess
import time
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from hpc_components.audit.node.redaction import line_filter
from hpc_components.operate.reach import HEAD, LOGIN, Reach
from hpc_components.operate.run_on_node import LOST, ask_node, unreachable
from hpc_components.operate.sections import Sections
from hpc_components.operate.slurm_view import NODES, read_nodes
from hpc_components.operate.ways import ReachError
from hpc_components.spec.printable import printable

FILES = {
    "boot": "/var/log/hpc-boot.log",
    "slurmctld": "/var/log/slurm/slurmctld.log",
    "slurmdbd": "/var/log/slurm/slurmdbd.log",
    "slurmd": "/var/log/slurm/slurmd.log",
}
"""Logs of nodes by the name with which their lines are shown."""

_JOURNAL = "journalctl --no-pager --output=short-iso --unit='hpc-*'"

_LAST = """\
for each in {files}; do
  [ -r "${{each#*=}}" ] && tail -n {lines} "${{each#*=}}" | sed "s|^|${{each%%=*}}: |"
done
{journal} --lines={lines} | sed 's|^|journal: |'
"""

_FOLLOW = """\
for each in {files}; do
  [ -r "${{each#*=}}" ] && {{ tail -n {lines} -F "${{each#*=}}" 2>/dev/null | sed -u "s|^|${{each%%=*}}: |" & }}
done
{journal} --lines={lines} --follow | sed -u 's|^|journal: |' &
cat >/dev/null
kill 0
"""
"""Ends when its standard input does: without a terminal, sshd tells nothing to programs whose reader is gone."""


def _as_root(script: str, lines: int) -> list[str]:
    files = " ".join(shlex.quote(f"{name}={path}") for name, path in FILES.items())
    return ["sudo", "-n", "sh", "-c", script.format(files=files, lines=lines, journal=_JOURNAL)]


def show_logs(reach: Reach, node: str, lines: int, write: Callable[[str], None], *, follow: bool = False) -> int:
    """Pass a node's last lines of each log to `write`; with `follow`, also those that are added until the connection
    ends. Return ssh's exit code.

    Control characters are escaped, because anyone on the node can write to its logs.
    """
    with _started(reach.ssh(node, _as_root(_FOLLOW if follow else _LAST, lines)), stdin=follow) as process:
        assert process.stdout
        for line in process.stdout:
            write(printable(line.decode(errors="replace").rstrip("\n"), keep="\t"))
        return process.wait()


@contextmanager
def _started(command: list[str], *, stdin: bool) -> Generator[subprocess.Popen[bytes]]:
    """Run ssh, and end it with the block, also after Ctrl-C."""
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE if stdin else subprocess.DEVNULL, stdout=subprocess.PIPE
    )
    try:
        yield process
    finally:
        if process.stdin:
            process.stdin.close()
        process.terminate()
        process.wait()


def why_ended(reach: Reach, node: str) -> str:
    """Return in words what became of a node whose logs ended: asks Slurm on the head node."""
    lost = f"the connection to {node} was lost at {time.strftime('%H:%M:%S')}"
    if node in (HEAD, LOGIN):
        return lost
    try:
        found = ask_node(reach, {"node": (*NODES, f"--nodes={node}")})
    except ReachError:
        return f"{lost}, and so was that to the head node"
    known = read_nodes(found["node"].text)
    if not known:
        return f"{lost}; Slurm knows no such node"
    because = f" ({known[0].reason})" if known[0].reason else ""
    return f"{lost}; for Slurm the node is {known[0].state} now{because}"


def export_logs(reach: Reach, node: str, folder: Path) -> list[Path]:
    """Write a node's logs into a folder, a file for each, without secrets. Return the files.

    Raise ReachError if the node can't be reached or refuses to show its logs, and OSError if a file can't be written.
    """
    commands: dict[str, Sequence[str]] = {name: ("sudo", "-n", "cat", path) for name, path in FILES.items()}
    commands["journal"] = ("sudo", "-n", "sh", "-c", f"{_JOURNAL} --boot")
    if node == HEAD:
        commands["nodes"] = ("scontrol", "show", "nodes")
        commands["jobs"] = ("squeue", "--all", "--long")
        commands["elastic"] = ("sudo", "-n", "/opt/hpc/bin/hpc-elastic", "status")
    sections = Sections(commands)
    with _started(reach.ssh(node, sections.script), stdin=False) as process:
        assert process.stdout
        lines = (line.decode(errors="replace") for line in process.stdout)
        written, refused = _write_sections(sections.events(lines), folder)
        code = process.wait()
    if code == LOST:
        raise unreachable(reach, node)
    if not written:
        raise ReachError(f"{node} shows no logs: {refused or 'it has none'}")
    return written


def _write_sections(events: Iterable[tuple[str, str | None, int | None]], folder: Path) -> tuple[list[Path], str]:
    """Write each section into its file; drop those of failed commands. Return the files, and the last message of a
    failed command.
    """
    written: list[Path] = []
    refused, last = "", ""
    file: IO[str] | None = None
    clean = line_filter()
    try:
        for name, line, code in events:
            path = folder / f"{name}.log"
            if line is not None and file:
                text = clean(line)
                last = text or last
                file.write(text + "\n")
            elif code is None:
                file, clean, last = path.open("w", encoding="utf-8", newline="\n"), line_filter(), ""
            elif file:
                file.close()
                file = None
                if code == 0:
                    written.append(path)
                else:
                    path.unlink()
                    refused = last or refused
    finally:
        if file:
            file.close()
    return written, refused
