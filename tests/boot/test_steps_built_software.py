"""The steps around `hpc-software`: its user, its files, its directory and where users find modules."""

from collections.abc import Callable

import pytest

from hpc_components.boot.files import boot_files
from tests.boot.cluster import spec

from .sandbox import Sandbox

Make = Callable[..., Sandbox]

OWN = {"hello-1.0.eb": "name = 'hello'\n", "fix.patch": "--- a\n"}


def files(**software: object) -> dict[str, str]:
    made = boot_files(spec(software=software))
    return {path: text for path, text in made.items() if path not in boot_files(spec())} | {
        "common/cluster.env": made["common/cluster.env"]
    }


BUILT = {"install": ["hello-1.0.eb"], "files": OWN, "directory": "/home/sw"}
FILES = files(easybuild=BUILT, modules=["/home/modules"])

STEP = ("common/software.sh", "software")


@pytest.mark.parametrize("role", ["head", "login", "compute"])
def test_all_nodes_know_the_user_by_the_same_id(sandbox: Make, role: str) -> None:
    box = sandbox(role, **FILES)
    box.step(*STEP)
    assert "hpc-software:x:65520:" in box.read("etc/passwd")
    assert box.step(*STEP) == ""


def test_users_find_modules_of_all_directories(sandbox: Make) -> None:
    box = sandbox("compute", **FILES)
    box.write("home/sw/modules/all/hello/1.0", "#%Module1.0\n")
    box.write("home/modules/ours/2.0", "#%Module1.0\n")
    said = box.then("common/modules.sh", "modules", "bash -lc 'module load hello ours openmpi; module -t list' 2>&1")
    assert {"hello/1.0", "ours/2.0", "openmpi/5.0.7"} <= set(said.splitlines())
    assert box.step("common/modules.sh", "modules") == ""


def test_a_login_node_tells_what_is_built(sandbox: Make) -> None:
    box = sandbox("login", **FILES)
    box.step(*STEP)
    said = box.run("setpriv", "--reuid=daemon", "--clear-groups", "/usr/local/bin/hpc-software", "status").stdout
    assert said == "no job has been submitted for this list yet\n"


def test_head_node_makes_the_directory_and_starts_the_service(sandbox: Make) -> None:
    box = sandbox("head", **FILES)
    box.step(*STEP)
    said = box.then("common/software.sh", "software_builds", "stat -c '%U %a' /home/sw; cat /running")
    assert said.splitlines()[-2:] == ["hpc-software 755", "hpc-software"]
    unit = box.read("etc/systemd/system/hpc-software.service")
    assert "User=hpc-software\n" in unit
    assert "ExecStart=/opt/hpc/bin/hpc-software submit\n" in unit
    assert "started" not in box.step("common/software.sh", "software_builds")


def test_service_runs_again_with_another_list(sandbox: Make) -> None:
    box = sandbox("head", **FILES)
    box.step(*STEP)
    box.step("common/software.sh", "software_builds")
    changed = files(easybuild=BUILT | {"files": {"hello-1.0.eb": "name = 'hallo'\n"}})
    for path, text in changed.items():
        box.write(f"opt/hpc/config/{path}", text)
    box.run("rm", "common/software/easyconfigs/fix.patch")
    box.step(*STEP)
    assert "started hpc-software" in box.step("common/software.sh", "software_builds")
    assert box.read("etc/hpc/software/easyconfigs/hello-1.0.eb") == "name = 'hallo'\n"
    assert not (box.root / "etc/hpc/software/easyconfigs/fix.patch").exists()


def test_a_description_without_software_leaves_nothing_to_build(sandbox: Make) -> None:
    box = sandbox("head", **FILES)
    box.step(*STEP)
    box.step("common/software.sh", "software_builds")
    box.run("rm", "-r", "common/software", "common/module_directories")
    box.step(*STEP)
    box.step("common/software.sh", "software_builds")
    assert not (box.root / "etc/systemd/system/hpc-software.service").exists()
    assert not (box.root / "opt/hpc/bin/hpc-software").exists()


@pytest.mark.parametrize(("queue", "builds"), [("debug", True), ("other", False)])
def test_compilers_are_installed_only_on_builders(sandbox: Make, queue: str, builds: bool) -> None:
    box = sandbox("compute", **FILES | {"compute/build_queue": f"{queue}\n"})
    wanted = box.then("common/packages.sh", "true", "wanted").splitlines()
    assert ("python3-venv" in wanted) is builds
