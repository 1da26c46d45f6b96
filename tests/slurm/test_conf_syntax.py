"""Slurm's own parser reads the files, and its lists of hosts add up. No daemon runs."""

import re
import subprocess
from pathlib import Path

import pytest

from hpc_components.slurm import slurm_files
from tests.slurm.described import STACKS, stack
from tests.slurm.head import RELEASES, skip_without

pytestmark = pytest.mark.slurm

SCRIPT = 'mount --bind "$1" "$2/mnt" && SLURM_CONF=/mnt/slurm.conf chroot "$2" scontrol show hostnames "$3"'


def hostnames(folder: Path, version: str, hosts: str) -> subprocess.CompletedProcess[str]:
    """What `scontrol show hostnames` says with the configuration in `folder`."""
    command = ["unshare", "-m", "sh", "-c", SCRIPT, "sh", str(folder), str(RELEASES[version]), hosts]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.mark.parametrize("version", RELEASES)
@pytest.mark.parametrize("name", STACKS)
def test_parser_reads_it_and_knows_every_node(tmp_path: Path, name: str, version: str) -> None:
    skip_without(version)
    described = stack(name)
    for file, text in slurm_files(described, version=version).items():
        (tmp_path / file).write_text(text)
    nodes = re.findall(r"^NodeName=(\S+)", (tmp_path / "slurm.conf").read_text(), re.M)
    done = hostnames(tmp_path, version, ",".join(nodes))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [f"{q.name}-{n}" for q in described.queues for n in range(1, q.max + 1)]


@pytest.mark.parametrize("version", RELEASES)
def test_parser_is_really_asked(tmp_path: Path, version: str) -> None:
    skip_without(version)
    text = slurm_files(stack("aws-cfd"), version=version)["slurm.conf"]
    (tmp_path / "slurm.conf").write_text(text.replace("ReturnToService", "ReturnToServcie"))
    done = hostnames(tmp_path, version, "a-[1-2]")
    assert done.returncode != 0
    assert "ReturnToServcie" in done.stderr
