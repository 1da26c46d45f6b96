"""`hpc image`: the bundle of a recipe."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.cli.running import hpc

RECIPE = {"images": {"cpu": {}, "spare": {}}}


@pytest.fixture
def stack(tmp_path: Path) -> str:
    """A description with a recipe that a queue uses, and one that is not used."""
    cluster = {
        "cloud": "aws",
        "name": "lab",
        "region": "us-east-2",
        "zone": "use2-az2",
        "network": {"cidr": "10.90.0.0/16"},
        "head_node": {"machine": "m7i.large"},
        "queues": [{"name": "debug", "machine": "c7i.xlarge", "max": 4, "image": "cpu"}],
        **RECIPE,
    }
    file = tmp_path / "Pulumi.lab.yaml"
    file.write_text(json.dumps({"config": {"hpc:cluster": cluster}}))
    return str(file)


def test_a_bundle_is_printed_as_a_script(stack: str, tmp_path: Path) -> None:
    done = hpc("image", "bundle", stack, "cpu")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("#!/bin/bash\n")
    (tmp_path / "bundle.sh").write_text(done.stdout)
    said = subprocess.run(["bash", tmp_path / "bundle.sh"], capture_output=True, text=True, check=False)
    assert said.returncode == 1
    assert "hpc-image: FAILED: use `bash " in said.stdout


@pytest.mark.parametrize(
    ("recipe", "why"),
    [("cpi", "has no recipe 'cpi'; did you mean cpu?"), ("spare", "no node uses the recipe 'spare'")],
)
def test_a_recipe_that_can_not_be_made_is_refused(stack: str, recipe: str, why: str) -> None:
    done = hpc("image", "bundle", stack, recipe)
    assert (done.returncode, done.stdout) == (2, "")
    assert why in done.stderr
