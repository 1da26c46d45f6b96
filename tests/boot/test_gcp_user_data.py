"""The stub on Google Cloud: how it knows who it is, and fetches objects. What the frame does is tested on AWS."""

import re
import shutil
from collections import Counter
from pathlib import Path

import pytest

from .fake_gcp import FakeGcp
from .fake_metadata import GcpMachine
from .gcp_rights import ACCOUNTS
from .gcp_stage import CONFIG, gcp_metadata
from .test_user_data import boot, bucket, console

pytestmark = pytest.mark.skipif(shutil.which("curl") is None, reason="needs curl")


def machine(gcp: FakeGcp, role: str = "head", **more: str) -> None:
    """The machine that asks, and a configuration."""
    attributes = {key: value for key, value in gcp_metadata(role, **more).items() if value}
    gcp.metadata.machines[""] = GcpMachine(attributes, ACCOUNTS[role])
    gcp.storage.buckets[CONFIG] = bucket()


def test_fetches_what_belongs_to_the_role_and_runs_its_script(gcp: FakeGcp, tmp_path: Path) -> None:
    machine(gcp)
    run = boot(gcp, tmp_path, cloud="gcp")
    assert run.returncode == 0, run
    ran = (tmp_path / "config" / "ran").read_text()
    assert ran == f'head {CONFIG} us-central1\n{{"name": "cfd"}}\nClusterName=cfd\n'
    assert console(tmp_path)[0] == f"hpc-boot: head: configuration of {CONFIG} is here"


def test_objects_are_asked_of_cloud_storage(gcp: FakeGcp, tmp_path: Path) -> None:
    machine(gcp)
    run = boot(gcp, tmp_path, tries=1, cloud="gcp", GOOGLEAPIS="", https_proxy="http://127.0.0.1:9")
    url = f"https://storage.googleapis.com/storage/v1/b/{CONFIG}/o/manifest"
    assert console(tmp_path) == [f"hpc-boot: FAILED: {url}: can't be fetched (1 attempts)"]
    assert run.returncode == 1


def test_a_machine_that_does_not_know_enough_ends_itself(gcp: FakeGcp, tmp_path: Path) -> None:
    """It knows that it is a compute node, and ends itself."""
    machine(gcp, "compute", hpc_config="")
    assert boot(gcp, tmp_path, tries=1, cloud="gcp").returncode == 1
    assert console(tmp_path) == ["hpc-boot: FAILED: no metadata hpc-role or hpc-config (1 attempts)"]
    assert (tmp_path / "shutdown").read_text() == "-h +1\n"


def test_a_right_that_takes_a_while_is_awaited(gcp: FakeGcp, tmp_path: Path) -> None:
    machine(gcp)
    grants, gcp.grants = gcp.grants, {}
    assert boot(gcp, tmp_path, tries=1, cloud="gcp").returncode == 1
    gcp.grants = grants
    assert boot(gcp, tmp_path, tries=1, cloud="gcp").returncode == 0


@pytest.mark.parametrize(
    "path",
    [
        f"/storage/v1/b/{CONFIG}/o/manifest",
        "/computeMetadata/v1/instance/service-accounts/default/token",
        "/computeMetadata/v1/instance/",
    ],
)
def test_passing_failure_is_retried(gcp: FakeGcp, tmp_path: Path, path: str) -> None:
    machine(gcp)
    gcp.failures = Counter({path: 2})
    assert boot(gcp, tmp_path, cloud="gcp").returncode == 0
    once = f"GET /storage/v1/b/{CONFIG}/o/common/cluster.json"
    assert gcp.asked.count(once) == 1, "what is here and right is not fetched again"


def test_no_token_is_an_argument_or_told(gcp: FakeGcp, tmp_path: Path) -> None:
    """All users of a login node see the arguments of all processes."""
    machine(gcp)
    fakes = tmp_path / "fakes"
    fakes.mkdir()
    for command in ("curl", "python3"):
        (fakes / command).write_text(
            f'#!/bin/bash\necho "$0 $@" >>{tmp_path}/seen\nexec {shutil.which(command)} "$@"\n'
        )
        (fakes / command).chmod(0o755)
    run = boot(gcp, tmp_path, cloud="gcp")
    assert run.returncode == 0
    seen = (tmp_path / "seen").read_text()
    assert "/o/head%2Fslurm.conf" in seen
    told = seen + run.stdout + run.stderr + (tmp_path / "boot.log").read_text() + (tmp_path / "console").read_text()
    assert not re.search("ya29", told)
