"""Nodes read EESSI: packages, settings and modules. The client is emulated (`fake_cvmfs.py`)."""

from collections.abc import Callable
from pathlib import Path

import pytest

from hpc_components.boot.files import boot_files
from tests.boot.cluster import spec

from .sandbox import Sandbox

Make = Callable[..., Sandbox]

LOCAL = "etc/cvmfs/default.local"
INIT = "lab/eessi/versions/2025.06/init/lmod/bash"


# Source: cvmfs 2.12 (ae7450ec9), cvmfs/cvmfs_config, cvmfs_setup
SETUP = """
[[ $* != 'reload software.eessi.io' ]] || { echo reloaded; exit; }
[[ $* == 'setup noautofs' ]] || exit 1
getent passwd cvmfs >/dev/null || useradd --system --no-create-home cvmfs
install -d -o cvmfs /var/lib/cvmfs
"""


def files(**eessi: object) -> dict[str, str]:
    made = boot_files(spec(software={"eessi": eessi}))
    return {path: text for path, text in made.items() if "eessi" in path or path in ("head/squid.conf",)}


FILES = files()


def prepared(box: Sandbox) -> Sandbox:
    """A node on which the package of the client is installed."""
    box.write("usr/sbin/mount.cvmfs", (Path(__file__).parent / "fake_cvmfs.py").read_text())
    (box.root / "usr/sbin/mount.cvmfs").chmod(0o755)
    box.fake("cvmfs_config", SETUP)
    box.write(INIT, 'module() { echo "EESSI\'s Lmod: $*, from ${MODULEPATH-no modules}"; }\n')
    box.impatient()
    return box


@pytest.mark.parametrize("role", ["login", "compute"])
def test_a_node_reads_eessi_through_the_head_nodes_proxy(sandbox: Make, role: str) -> None:
    box = prepared(sandbox(role, **FILES))
    said = box.then("common/eessi.sh", "eessi", "ls /cvmfs/software.eessi.io/versions")
    assert said.splitlines()[-1] == "2025.06"
    settings = box.read(LOCAL).splitlines()
    assert 'CVMFS_HTTP_PROXY="http://10.90.64.20:6828;DIRECT"' in settings
    assert "CVMFS_QUOTA_LIMIT=10240" in settings
    assert "software.eessi.io /cvmfs/software.eessi.io cvmfs " in box.read("etc/fstab")


def test_head_node_behind_login_nodes_needs_no_client(sandbox: Make) -> None:
    box = sandbox("head", **FILES)
    assert box.step("common/eessi.sh", "eessi_client") == ""
    assert box.step("common/eessi.sh", "eessi") == ""
    assert not (box.root / LOCAL).exists()


def test_cache_is_on_the_machines_own_disks_if_the_queue_uses_them(sandbox: Make) -> None:
    queues = "queue cpus gpus smt fabric local_scratch metadata\ndebug 2 0 no no /scratch system\n"
    box = prepared(sandbox("compute", **FILES, **{"compute/queues": queues}))
    box.run("install", "-d", "-m", "1777", "/scratch")
    box.step("common/eessi.sh", "eessi")
    assert "CVMFS_CACHE_BASE=/scratch/.cvmfs" in box.read(LOCAL)


def test_a_compute_node_on_which_eessi_does_not_answer_does_not_join(sandbox: Make) -> None:
    box = prepared(sandbox("compute", **FILES))
    box.write("lab/no-server-answers", "")
    reason = "EESSI 2025.06 can't be read: Failed to discover HTTP proxy servers"
    assert box.failing("common/eessi.sh", "eessi") == reason


def test_a_login_node_on_which_eessi_does_not_answer_admits_users(sandbox: Make) -> None:
    box = prepared(sandbox("login", **FILES))
    box.write("lab/no-server-answers", "")
    assert "so `module load EESSI` fails here: Failed to discover" in box.step("common/eessi.sh", "eessi")


def test_a_version_that_is_not_in_the_repository_is_not_taken_for_an_answer(sandbox: Make) -> None:
    box = prepared(sandbox("compute", **files(version="2023.06")))
    assert "EESSI 2023.06 can't be read" in box.failing("common/eessi.sh", "eessi")


LOAD = "module load EESSI/2025.06; module load OpenFOAM"


@pytest.mark.parametrize("shell", ["bash -lc", "BASH_ENV=/etc/hpc/bash_env bash -c"])
def test_module_load_starts_eessis_lmod_in_the_shell(sandbox: Make, shell: str) -> None:
    box = prepared(sandbox("compute", **FILES))
    box.step("common/modules.sh", "modules")
    said = box.then("common/eessi.sh", "eessi", f"{shell} '{LOAD}'")
    assert said.splitlines()[-1] == "EESSI's Lmod: load OpenFOAM, from no modules"


def test_module_load_says_that_eessi_does_not_answer(sandbox: Make) -> None:
    box = prepared(sandbox("login", **FILES))
    box.step("common/modules.sh", "modules")
    box.write("lab/no-server-answers", "")
    said = box.then("common/eessi.sh", "eessi", "bash -lc 'module load EESSI' 2>&1 || true")
    assert "EESSI 2025.06 does not answer on this node" in said


def test_client_is_installed_from_its_vendors_archive(sandbox: Make) -> None:
    box = sandbox("compute", **FILES)
    box.fake("apt-cache", "[[ -e /added ]] && echo 'Candidate: 2.13'; true")
    box.fake("curl", 'echo "$*" >>/fetched; touch "${@: -2:1}"')
    box.fake("dpkg", 'echo "$*" >>/added')
    box.fake("apt-get", 'echo "$*" >>/installed')
    box.step("common/eessi.sh", "eessi_client")
    assert "https://cvmrepo.s3.cern.ch/cvmrepo/apt/cvmfs-release-latest_all.deb" in box.read("fetched")
    assert "-i /run/hpc/archive.deb" in box.read("added")
    assert box.read("installed").splitlines()[-1].endswith(" cvmfs")


def test_package_source_that_has_the_client_comes_before_its_vendors_archive(sandbox: Make) -> None:
    box = sandbox("compute", **FILES)
    box.fake("apt-cache", "echo 'Candidate: 2.13'")
    box.fake("curl", "exit 1")
    box.fake("apt-get", 'echo "$*" >>/installed')
    box.step("common/eessi.sh", "eessi_client")
    assert box.read("installed").splitlines()[-1].endswith(" cvmfs")


def test_changed_settings_are_read_while_eessi_is_in_use(sandbox: Make) -> None:
    box = prepared(sandbox("login", **FILES))
    step = "source common/eessi.sh; eessi"
    said = box.then(
        "common/eessi.sh", "eessi", f"{step}; EESSI_CACHE_MIB=5000; eessi; mountpoint /cvmfs/software.eessi.io"
    )
    assert said.count("reloaded") == 1
    assert said.splitlines()[-1].endswith("is a mountpoint")


def test_everything_is_undone_without_eessi(sandbox: Make) -> None:
    box = prepared(sandbox("login", **FILES))
    box.step("common/eessi.sh", "eessi")
    box.run("rm", "-r", "common/eessi")
    box.step("common/eessi.sh", "eessi")
    assert "cvmfs" not in box.read("etc/fstab")
    assert not (box.root / "opt/hpc/modulefiles/EESSI/2025.06").exists()
