"""`hpc image diff`: which images change, by what, and what that means for nodes."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import HPC
from tests.clouds.test_cluster import DESCRIPTIONS
from tests.repositories import git

CLOUDS = ("aws", "azure", "gcp")
SCRIPT = {"at": "image", "on": ["cpu"], "time_limit": "60s", "text": "#!/bin/bash\necho hi\n"}


def described(cloud: str, **changes: Any) -> str:
    plain = DESCRIPTIONS[cloud]
    queues = [{**plain["queues"][0], "image": "cpu"}]
    cluster = {**plain, "cloud": cloud, "name": "lab", "images": {"cpu": {}}, "queues": queues, **changes}
    return json.dumps({"config": {"hpc:cluster": cluster}})


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A cluster with a recipe on each cloud."""
    (tmp_path / "Pulumi.yaml").write_text("name: clusters\nruntime: python\n")
    for cloud in CLOUDS:
        (tmp_path / f"Pulumi.{cloud}.yaml").write_text(described(cloud))
    git(tmp_path, "init", "-q", "-b", "main")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "three clusters")
    return tmp_path


def run(repository: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [HPC, "image", "diff", *arguments]
    return subprocess.run(command, cwd=repository, capture_output=True, text=True, timeout=600, check=False)


def images(repository: Path, *arguments: str) -> list[dict[str, Any]]:
    done = run(repository, *arguments, "--format", "json")
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)["images"]


@pytest.mark.parametrize("cloud", CLOUDS)
def test_change_of_the_system_names_all_that_differs(repository: Path, cloud: str) -> None:
    head = {**DESCRIPTIONS[cloud]["head_node"], "image": "cpu"}
    text = described(cloud, os="debian-13", slurm={"version": "24.11"}, head_node=head)
    (repository / f"Pulumi.{cloud}.yaml").write_text(text)
    (image,) = images(repository, cloud)
    inputs = {each["name"]: each for each in image["inputs"]}
    assert inputs["system"] == {"name": "system", "before": "ubuntu-24.04", "after": "debian-13"}
    assert inputs["Slurm"] == {"name": "Slurm", "before": "23.11", "after": "24.11"}
    assert inputs["roles"] == {"name": "roles", "before": "compute", "after": "head compute"}
    assert "debian" in inputs["base"]["after"].lower()
    assert image["before"]["version"] != image["after"]["version"]
    assert (image["replaces_head_node"], image["new_nodes_only"]) == (True, ["queue mpi"])
    assert image["estimated_minutes"] == [15, 60]


@pytest.mark.parametrize("cloud", CLOUDS)
def test_own_script_and_size_of_the_disk_are_told_apart(repository: Path, cloud: str) -> None:
    file = repository / f"Pulumi.{cloud}.yaml"
    file.write_text(described(cloud, scripts={"hi": SCRIPT}))
    (image,) = images(repository, cloud)
    assert image["inputs"] == [{"name": "your scripts", "files": ["image/scripts.list", "image/scripts/hi"]}]
    queue = {**DESCRIPTIONS[cloud]["queues"][0], "image": "cpu", "root": {"size": "256GiB"}}
    file.write_text(described(cloud, queues=[queue]))
    (image,) = images(repository, cloud)
    assert [each["name"] for each in image["inputs"]] == ["settings of the builder"]


def test_what_changes_no_image_makes_none(repository: Path) -> None:
    queue = {**DESCRIPTIONS["aws"]["queues"][0], "image": "cpu", "max": 3}
    (repository / "Pulumi.aws.yaml").write_text(described("aws", queues=[queue]))
    done = run(repository, "aws")
    assert (done.returncode, done.stderr) == (0, "")
    first, _, title = done.stdout.splitlines()
    assert first == "aws: `pulumi up` makes no image (HEAD → working tree)"
    assert title.startswith("cpu: stays ")


def test_new_and_removed_recipes_are_told(repository: Path) -> None:
    queue = {**DESCRIPTIONS["aws"]["queues"][0], "image": "gpu"}
    (repository / "Pulumi.aws.yaml").write_text(described("aws", queues=[queue], images={"gpu": {}}))
    said = run(repository, "aws", "--against", "main").stdout
    assert "\ncpu: no longer made, was " in said
    assert "\ngpu: new, " in said
    assert "queue mpi: new nodes boot from it; running ones stay as they are" in said


def test_side_that_can_not_be_planned_is_an_error(repository: Path) -> None:
    (repository / "Pulumi.aws.yaml").write_text(described("aws", zone="nowhere"))
    done = run(repository, "aws")
    assert (done.returncode, done.stdout) == (2, "")
    assert "working tree can't be planned" in done.stderr
    done = run(repository, "aws", "--against", "elsewhere")
    assert (done.returncode, done.stdout) == (2, "")
    assert "elsewhere" in done.stderr
