"""What one user may take of a node, held by a real kernel with cgroup v2: others and administrators get on."""

import re
from pathlib import Path

import pytest

from hpc_components.boot.files import boot_files

from .cluster import spec
from .conftest import LAYERS, MADE
from .kernel import missing, run_under_own_kernel

pytestmark = [pytest.mark.boot, pytest.mark.slow]

MEMORY = 64 * 2**20
PER_USER = {"memory": "64MiB", "processes": 50}

SLURM = """
ClusterName=lab
SlurmctldHost=login(10.0.0.1)
SlurmUser=slurm
StateSaveLocation=/var/lib/slurm
NodeName=debug-1 State=CLOUD
PartitionName=debug Nodes=debug-1
"""

SCRIPT = (Path(__file__).parent / "crowded_node.sh").read_text()


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What happened on a login node with a program that wants all memory, and with a fork bomb."""
    if lack := missing(*LAYERS):
        pytest.skip(lack)
    configuration = {**boot_files(spec(login_nodes={"machine": "m7i.large", "per_user": PER_USER})), **MADE}
    files = {f"opt/hpc/config/{path}": text for path, text in configuration.items()}
    files |= {"etc/slurm/slurm.conf": SLURM, "etc/profile.d/modules.sh": "# would take seconds at each login\n"}
    at = tmp_path_factory.mktemp("kernel")
    said = run_under_own_kernel(at, LAYERS, SCRIPT, files)
    assert "FAILED" not in said, said
    assert "NEVER" not in said, said
    print(*re.findall(r"^.* \d+ us$", said, re.M), sep="\n")
    return said


def lines(said: str, of: str) -> str:
    return "\n".join(re.findall(rf"^{of}: (.*)$", said, re.M))


def test_limits_that_come_end_no_program_that_runs(said: str) -> None:
    """The memory's limit waits until the user is below it; all others hold at once, in slices that exist."""
    programs, memory, processes, all_users = lines(said, "early").split()
    assert (programs, memory, processes) == ("1", "max", "50")
    assert all_users.isdigit()
    assert lines(said, "later") == str(MEMORY)


def test_a_program_that_wants_all_memory_is_ended_and_its_user_is_told(said: str) -> None:
    told = lines(said, "hog")
    assert "Killed" in told
    assert told.count("A program of yours was ended: your programs may use 0.0625 GiB of memory") == 1
    assert "answered" in lines(said, "bob after the hog")


def test_a_fork_bomb_of_one_user_stops_no_other(said: str) -> None:
    told = lines(said, "bomb")
    assert "Resource temporarily unavailable" in told
    assert told.count("could not start: you can have 50 processes and threads on this node.") == 1
    assert "answered" in lines(said, "bob beside the bomb")


def test_administrators_get_in_beside_a_fork_bomb_and_are_recorded(said: str) -> None:
    assert "root" in lines(said, "carol beside the bomb").split()
    assert re.search(r"carol : .*USER=root ; COMMAND=/usr/bin/id -un", lines(said, "sudo"))


def test_users_are_welcomed_with_what_they_can_use(said: str) -> None:
    welcome = "You can use 2 CPUs, 0.0625 GiB of memory and 50 processes on this node."
    assert lines(said, "bomb").count(welcome) == 1
    assert "You can use" not in lines(said, "bob beside the bomb"), "no terminal"
