"""Real Slurm daemons on generated files, in namespaces of their own, for as long as one script runs."""

import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import IPv4Address
from pathlib import Path

import pytest

__all__ = ["RELEASES", "Outcome", "run_head", "skip_without"]

RELEASES = {"22.05": Path("/"), "24.11": Path(__file__).parents[2] / "build/rfs/trixie-slurm"}
"""Root file systems by the release of Slurm in them."""

UNSHARE = ("unshare", "-m", "-u", "-i", "-n", "-p", "--fork", "--kill-child=KILL", "--mount-proc")


@dataclass(frozen=True)
class Outcome:
    """What a script on the head node wrote, and the daemons' logs by file name."""

    output: str
    logs: Mapping[str, str]

    @property
    def errors(self) -> list[str]:
        """All lines of all logs that tell of an error."""
        lines = (f"{name}: {line}" for name, log in self.logs.items() for line in log.splitlines())
        return [line for line in lines if re.search(r"\b(error|fatal):", line)]


def skip_without(version: str) -> None:
    """Skip the test where this machine can't run the daemons of a release, and say what is missing."""
    root = RELEASES[version]
    if os.geteuid() != 0:
        pytest.skip("needs root for namespaces")
    if not (root / "usr/sbin/slurmctld").exists():
        pytest.skip(f"needs Slurm {version} in {root}: `make system` puts it there")
    shown = subprocess.run(["chroot", str(root), "/usr/sbin/slurmctld", "-V"], capture_output=True, text=True)
    if not shown.stdout.startswith(f"slurm-wlm {version}."):
        pytest.skip(f"needs Slurm {version} in {root}, which has {shown.stdout.strip() or 'none'}")


def run_head(tmp: Path, version: str, files: Mapping[str, str], script: str, *, address: str) -> Outcome:
    """Start the daemons on `files`, run `script` (bash, as root), stop them all."""
    skip_without(version)
    (tmp / "etc").mkdir()
    for name, text in files.items():
        (tmp / "etc" / name).write_text(text)
    (tmp / "script").write_text(script)
    environment = {"LOWER": str(RELEASES[version]), "SHARED": str(tmp), "ADDRESS": str(IPv4Address(address))}
    done = subprocess.run(
        [*UNSHARE, "bash", str(Path(__file__).with_name("head_init.sh"))],
        env=environment | {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=400,
    )
    logs = {path.name: path.read_text() for path in sorted((tmp / "log").glob("*.log"))}
    assert done.returncode == 0, f"status {done.returncode}\n{done.stdout}\n{logs}"
    return Outcome(done.stdout, logs)
