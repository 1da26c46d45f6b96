"""A bundle runs in a container on this machine; the root file system stays as it is, and nothing is left behind."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from clouds.test_cluster import DESCRIPTIONS

from hpc_components.aws.spec import AwsClusterSpec
from hpc_components.images.bundle import bundle, needs_kernel
from hpc_components.images.container import StepRun, lacking, run_bundle
from tests.boot.lab import missing, wait_for

RFS = Path(__file__).parents[2] / "build" / "rfs"
BASE, ARCHIVE = RFS / "trixie", RFS / "archive"

WORKS = """#!/bin/bash
echo made >/made
rm /etc/hosts
systemctl enable -q --now systemd-networkd || exit
systemctl is-active -q systemd-networkd && exit 9
echo "hpc-boot: packages: 1.500 s"
[[ $1 == bake ]] || [[ $(tail -n +3 /proc/net/dev) == *lo:* && $(wc -l </proc/net/dev) == 3 ]] || exit 8
"""
FAILS = """#!/bin/bash
echo "hpc-boot: supported: 0.100 s"
echo "hpc-image: FAILED: $1: no such system"
exit 1
"""
WAITS = f"#!/bin/bash\nsleep 98{os.getpid()}\n"
RUNS = """
import signal, sys
from pathlib import Path
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where these tests run in the background of a shell
from hpc_components.images.container import run_bundle
run_bundle("bake", sys.argv[1], [Path(sys.argv[2])])
"""

pytestmark = pytest.mark.boot


@pytest.fixture
def base() -> Path:
    if lack := missing(BASE):
        pytest.skip(lack)
    return BASE


def described(**changes: object) -> AwsClusterSpec:
    queues = [{**DESCRIPTIONS["aws"]["queues"][0], "image": "cpu"}]
    own = {"cloud": "aws", "name": "lab", "os": "debian-13", "slurm": {"version": "24.11"}, "images": {"cpu": {}}}
    return AwsClusterSpec.model_validate({**DESCRIPTIONS["aws"], **own, "queues": queues, **changes})


def test_changes_are_in_the_result_and_not_in_the_root_file_system(base: Path, tmp_path: Path) -> None:
    steps: list[StepRun] = []
    done = run_bundle("bake", WORKS, [base], result=tmp_path / "made", on_step=steps.append)
    assert (done.failure, steps) == (None, [StepRun(step="packages", seconds=1.5)])
    assert (tmp_path / "made" / "made").read_text() == "made\n"
    assert not (tmp_path / "made" / "etc" / "hosts").exists()
    assert not [*(tmp_path / "made" / "root").glob("*.sh"), *(tmp_path / "made" / "usr/local/sbin").iterdir()]
    assert [each.name for each in tmp_path.iterdir()] == ["made"]
    assert not (base / "made").exists()


def test_test_reaches_no_network(base: Path) -> None:
    assert run_bundle("test", WORKS, [base]).failure is None


def test_failure_has_the_reason_and_no_result(base: Path, tmp_path: Path) -> None:
    done = run_bundle("bake", FAILS, [base], result=tmp_path / "made")
    assert done.failure == "bake: no such system"
    assert done.steps == (StepRun(step="supported", seconds=0.1),)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGINT])
def test_nothing_runs_on_when_the_command_is_ended(base: Path, sent: signal.Signals) -> None:
    process = subprocess.Popen([sys.executable, "-c", RUNS, WAITS, str(base)], stderr=subprocess.DEVNULL)
    wait_for(sleeps, "the bundle runs", 60)
    process.send_signal(sent)
    process.wait(60)
    wait_for(lambda: not sleeps(), "the bundle has ended", 60)


def sleeps() -> bool:
    wanted = WAITS.split("\n")[1].split()
    lines = (file.read_bytes().split(b"\0") for file in Path("/proc").glob("[0-9]*/cmdline") if file.exists())
    return any([word.decode() for word in line[:2]] == wanted for line in lines if len(line) >= 2)


def test_another_system_is_refused(base: Path, tmp_path: Path) -> None:
    assert list(lacking(base, "debian-13")) == []
    (reason,) = lacking(base, "ubuntu-24.04")
    assert reason.endswith("is a root file system of debian-13, but the nodes have ubuntu-24.04")
    (reason,) = lacking(tmp_path, "rocky-9")
    assert "has no etc/os-release; specify a root file system of rocky-9" in reason


def test_what_needs_a_machine_s_kernel_is_left_out_and_named() -> None:
    lustre = {"scratch": {"type": "lustre", "mount": "/scratch", "size": "1200GiB"}}
    cluster = described(storage=lustre)
    assert needs_kernel(described(), "cpu") == ()
    assert needs_kernel(cluster, "cpu") == ("Lustre client",)
    assert bundle(cluster, "cpu", in_container=True) != bundle(cluster, "cpu")
    assert bundle(described(), "cpu", in_container=True) == bundle(described(), "cpu")


@pytest.mark.slow
def test_recipe_is_built_and_passes_its_test(tmp_path: Path) -> None:
    if lack := missing(BASE, ARCHIVE):
        pytest.skip(lack)
    sources = tmp_path / "sources" / "etc" / "apt" / "sources.list"
    sources.parent.mkdir(parents=True)
    sources.write_text("deb [trusted=yes] file:/srv/packages ./\n")
    text = bundle(described(), "cpu", in_container=True)
    built = run_bundle("bake", text, [tmp_path / "sources", ARCHIVE, BASE], result=tmp_path / "cpu")
    assert built.failure is None
    assert {"packages", "seal"} <= {each.step for each in built.steps}
    tested = run_bundle("test", text, [tmp_path / "cpu"])
    assert (tested.failure, tested.steps[-1].step) == (None, "slurm")
