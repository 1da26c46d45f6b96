"""What Slurm, the elastic daemon and the nodes of a toy cluster read."""

import json
from pathlib import Path

import pytest

from clouds.descriptions import PLAY, PLAY_FILE, cluster_of
from clouds.running import hpc
from hpc_components.boot import USER_DATA_LIMIT, user_data
from hpc_components.boot.files import boot_files
from hpc_components.slurm import slurm_files

pytestmark = pytest.mark.usefixtures("toy")


def test_a_job_has_half_of_the_clouds_notice() -> None:
    lines = slurm_files(cluster_of(PLAY))["slurm.conf"].splitlines()
    assert "KillWait=15" in lines, "of 30 seconds; AWS's are 120"


def test_gpus_are_known_by_the_files_of_their_maker() -> None:
    (line,) = [
        line for line in slurm_files(cluster_of(PLAY))["gres.conf"].splitlines() if line.startswith("NodeName")
    ]
    assert line == "NodeName=gpu-[1-2] Name=gpu Type=mi300x File=/dev/dri/renderD[128-135] Flags=amd_gpu_env"


def test_what_is_leased_has_the_clouds_own_word_and_goes_first() -> None:
    files = slurm_files(cluster_of(PLAY))
    (partition,) = [line for line in files["slurm.conf"].splitlines() if line.startswith("PartitionName=serial")]
    assert "PriorityTier=2" in partition
    pools = {each["name"]: each["pools"] for each in json.loads(files["elastic.json"])["queues"]}
    assert pools["serial"] == [{"machine": "shell-32", "zone": "reef-1-a", "purchase": "lease"}]
    assert pools["gpu"][0]["zone"] == "reef-1-b"


def test_nodes_get_the_clouds_verbs_and_its_stub() -> None:
    files = boot_files(cluster_of(PLAY))
    assert "fetch_folder() { # <pond://bucket/folder>" in files["common/cloud.sh"]
    stub = files["common/update/stub.sh"]
    assert stub == user_data("toy")
    assert len(stub) < USER_DATA_LIMIT
    for word in ("aws", "amazon", "s3:", "ec2", "169.254.169.254"):
        assert not [path for path in files if word in files[path].lower() and path != "common/hpc-elastic.b64"], word


def test_the_command_renders_for_every_release(tmp_path: Path) -> None:
    for release in ("22.05", "25.11"):
        done = hpc("render", str(PLAY_FILE), "--slurm", release, "--out", str(tmp_path / release))
        assert done.returncode == 0, done.stderr
        assert f"# Slurm {release}" in (tmp_path / release / "slurm.conf").read_text()
    assert hpc("render", str(PLAY_FILE), "elastic.json").stdout.startswith("{")
