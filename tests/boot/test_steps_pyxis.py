"""Nodes get Enroot and Pyxis: what is fetched, built and kept, and their settings. Sources are stand-ins."""

import os
from collections.abc import Callable

import pytest

from hpc_components.boot.files import boot_files
from hpc_components.catalog.pyxis import pinned_source
from tests.boot.cluster import spec

from .sandbox import Sandbox

Make = Callable[..., Sandbox]

ENROOT, PYXIS = pinned_source("enroot"), pinned_source("pyxis")

SETTINGS = "etc/enroot/enroot.conf.d/hpc.conf"
PLUGIN = "opt/hpc/lib/spank_pyxis.so"

GIT = r"""
echo "$*" >>/asked
case $* in
  "init -q "*) mkdir -p "$3" ;;
  *" fetch "*) [[ ! -e /unreachable ]] ;;
esac
"""

MAKE = r"""
shift; echo "make ${1##*/} ${*: -2}" >>/built
[[ ! -e /broken ]] || { echo "x.c:1: error: no such thing"; exit 2; }
case $* in
  *pyxis) echo plugin >"$1/spank_pyxis.so" ;;
  *setcap)
    mkdir -p /usr/share/enroot/hooks.d /etc/enroot/hooks.d
    touch /usr/share/enroot/hooks.d/50-slurm-{pmi,pytorch}.sh
    echo 'profile' >/usr/share/enroot/apparmor.profile
    echo 'export ENROOT_VERSION="%s"' >/usr/bin/enroot ;;
esac
""".replace("%s", ENROOT.version)


def files(**more: object) -> dict[str, str]:
    made = boot_files(spec(software={"pyxis": True}, **more))
    return {path: text for path, text in made.items() if "pyxis" in path}


FILES = files()


def prepared(box: Sandbox) -> Sandbox:
    """A node on which every package is there, and whose Slurm is 24.11.5."""
    box.fake("git", GIT)
    box.fake("make", MAKE)
    box.fake("apt-get", 'echo "$*" >>/installed')
    box.fake("dpkg-query", 'echo "installed slurm-client $(cat /slurm)"')
    box.write("slurm", "24.11.5\n")
    return box


def built(box: Sandbox) -> list[str]:
    log = box.root / "built"
    return log.read_text().splitlines() if log.exists() else []


def test_sources_are_named_by_their_commits(sandbox: Make) -> None:
    box = prepared(sandbox("compute", **FILES))
    box.step("common/pyxis.sh", "container_tools")
    asked = box.read("asked")
    for pinned in (ENROOT, PYXIS):
        assert f"fetch -q --depth 1 {pinned.repository} {pinned.commit}" in asked
        assert f"checkout -q {pinned.commit}" in asked
    assert "url.https://git.musl-libc.org/git/musl.insteadOf=git://git.musl-libc.org/musl" in asked
    assert box.read(PLUGIN) == "plugin\n"
    assert box.read("opt/hpc/plugstack.conf") == f"required /{PLUGIN} runtime_path=/var/lib/hpc-containers\n"
    installed = box.read("installed")
    assert " libslurm-dev" in installed
    assert "squashfs-tools" in installed


def test_what_is_built_is_not_built_again(sandbox: Make) -> None:
    box = prepared(sandbox("compute", **FILES))
    for _ in range(2):
        box.step("common/pyxis.sh", "container_tools")
    assert len(built(box)) == 3  # Enroot, its installation, and the plugin


def test_plugin_is_built_again_for_another_release_of_slurm(sandbox: Make) -> None:
    box = prepared(sandbox("head", **FILES))
    box.step("common/pyxis.sh", "container_tools")
    box.write("slurm", "25.11.8\n")
    box.step("common/pyxis.sh", "container_tools")
    assert [line.split()[1] for line in built(box)] == ["pyxis", "pyxis"]


def test_an_interrupted_build_begins_anew(sandbox: Make) -> None:
    box = prepared(sandbox("compute", **FILES))
    box.write("usr/bin/enroot", f'export ENROOT_VERSION="{ENROOT.version}"\n')
    box.write("var/cache/hpc-containers/enroot/half", "")
    box.step("common/pyxis.sh", "container_tools")
    assert built(box)[0].split()[1] == "enroot"


def test_head_node_behind_login_nodes_gets_the_plugin_alone(sandbox: Make) -> None:
    box = prepared(sandbox("head", **FILES))
    box.step("common/pyxis.sh", "container_tools")
    box.step("common/pyxis.sh", "containers_by_srun")
    assert [line.split()[1] for line in built(box)] == ["pyxis"]
    assert not (box.root / "etc/enroot").exists()


def test_an_unreachable_source_is_named(sandbox: Make) -> None:
    box = prepared(sandbox("compute", **FILES))
    box.write("unreachable", "")
    said = box.failing("common/pyxis.sh", "container_tools")
    assert said.startswith(f"{ENROOT.repository}: can't be fetched; nodes without internet access need images")


def test_a_failing_build_is_explained(sandbox: Make) -> None:
    box = prepared(sandbox("compute", **FILES))
    box.write("broken", "")
    said = box.failing("common/pyxis.sh", "container_tools")
    assert said == "enroot can't be built: x.c:1: error: no such thing (/var/log/hpc-containers-build.log)"


@pytest.mark.parametrize("there", [False, True])
def test_nodes_with_nvidias_driver_get_the_tool_that_brings_gpus_into_containers(sandbox: Make, there: bool) -> None:
    box = prepared(sandbox("compute", **FILES))
    box.fake("nvidia-smi", "")
    box.fake("apt-cache", "true")
    box.fake("curl", "echo key")
    if there:
        box.fake("nvidia-container-cli", "")
    box.step("common/pyxis.sh", "container_tools")
    assert (" libnvidia-container-tools" in box.read("installed")) is not there
    assert (box.root / "etc/apt/sources.list.d/hpc-gpu-containers.list").exists() is not there


def settled(box: Sandbox) -> Sandbox:
    box = prepared(box)
    box.step("common/pyxis.sh", "container_tools")
    box.step("common/pyxis.sh", "containers_by_srun")
    return box


PATHS = r"""
load() {
  while IFS=$' \t=' read -r key value; do echo "$key $(eval echo "$value")"; done </etc/enroot/enroot.conf.d/hpc.conf
}
export -f load
mkdir -p /home/ada && chown 1234 /home/ada
export HOME=/home/ada
setpriv --reuid=1234 --clear-groups bash -c load
"""
"""As Enroot reads its settings. Source: NVIDIA/enroot v4.1.2, enroot.in, config::load."""


@pytest.mark.parametrize(
    ("owner", "at"),
    [("1234", "/var/lib/hpc-containers/1234/"), ("0", "/home/ada/.local/share/enroot-"), (None, "/home/ada/")],
)
def test_containers_are_in_a_directory_that_is_the_users_own(sandbox: Make, owner: str | None, at: str) -> None:
    box = settled(sandbox("compute", **FILES))
    made = f"install -d -m 700 -o {owner} /var/lib/hpc-containers/1234; " if owner else ""
    paths = box.run("bash", "-c", made + PATHS).stdout.splitlines()
    assert [line.split()[0] for line in paths] == [
        f"ENROOT_{name}_PATH" for name in ("CACHE", "DATA", "RUNTIME", "TEMP")
    ]
    assert all(line.split()[1].startswith(at) for line in paths[:3]), paths
    assert paths[3].split()[1] == ("/var/lib/hpc-containers/1234/temp" if owner == "1234" else "/tmp")


def test_containers_are_on_the_machines_own_disks_if_the_queue_uses_them(sandbox: Make) -> None:
    queues = "queue cpus gpus smt fabric local_scratch metadata\ndebug 2 0 no no /scratch system\n"
    box = sandbox("compute", **FILES, **{"compute/queues": queues})
    box.run("install", "-d", "-m", "1777", "/scratch")
    settled(box)
    assert os.readlink(box.root / "var/lib/hpc-containers") == "/scratch/.containers"


def test_login_nodes_keep_enroots_own_settings(sandbox: Make) -> None:
    box = settled(sandbox("login", **FILES))
    assert not (box.root / SETTINGS).exists()
    assert (box.root / "etc/enroot/hooks.d/50-slurm-pmi.sh").is_symlink()


def test_ubuntu_lets_enroot_make_namespaces(sandbox: Make) -> None:
    box = sandbox("compute", **FILES)
    box.write("etc/apparmor.d/abi/4.0", "")
    settled(box)
    assert box.read("etc/apparmor.d/enroot") == "profile\n"


def test_nothing_is_built_for_a_cluster_without_containers(sandbox: Make) -> None:
    box = settled(sandbox("compute"))
    assert built(box) == []
    assert not (box.root / SETTINGS).exists()


def test_slurm_reads_the_plugin_on_all_nodes() -> None:
    made = boot_files(spec(software={"pyxis": True}))
    assert "PlugStackConfig=/opt/hpc/plugstack.conf" in made["common/slurm/slurm.conf"].splitlines()
    assert "PlugStackConfig" not in boot_files(spec(software={"eessi": {}}))["common/slurm/slurm.conf"]
    steps = {role: made[f"boot/{role}.sh"].splitlines() for role in ("head", "login", "compute")}
    for lines in steps.values():
        assert lines.index("step common/slurm_source.sh slurm_source") < lines.index(
            "step common/pyxis.sh container_tools"
        )
