"""`hpc image`: what a stack makes, the bundle of a recipe, and its run on this machine."""

import json
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from hpc_components.cli import main
from hpc_components.images import container
from hpc_components.images.container import ImageRun, StepRun
from tests.cli.running import hpc


@pytest.fixture
def stack(tmp_path: Path) -> str:
    """A description with a recipe that a queue uses."""
    cluster = {
        "cloud": "aws",
        "name": "lab",
        "region": "us-east-2",
        "zone": "use2-az2",
        "network": {"cidr": "10.90.0.0/16"},
        "head_node": {"machine": "m7i.large"},
        "queues": [{"name": "debug", "machine": "c7i.xlarge", "max": 4, "image": "cpu"}],
        "images": {"cpu": {}},
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


def test_images_of_a_stack_are_listed_with_their_nodes(stack: str) -> None:
    (image,) = json.loads(hpc("image", "list", stack, "--format", "json").stdout)["images"]
    assert (image["recipe"], image["nodes"], len(image["version"])) == ("cpu", ["queue debug"], 12)
    assert image["version"] in hpc("image", "list", stack).stdout
    assert image["version"] in hpc("preview", stack).stdout


@pytest.mark.parametrize("format_", ["text", "markdown", "html"])
def test_preview_shows_the_images_in_every_format(stack: str, format_: str) -> None:
    (image,) = json.loads(hpc("image", "list", stack, "--format", "json").stdout)["images"]
    shown = hpc("preview", stack, "--format", format_).stdout
    before, _, images = shown.partition("Images that the stack makes" if format_ == "html" else "Images")
    assert before
    assert image["version"] in images[:2000]


def test_images_of_nodes_name_their_recipe(stack: str) -> None:
    nodes = json.loads(hpc("images", stack, "--format", "json").stdout)["nodes"]
    assert [(node["nodes"], node["recipe"]) for node in nodes] == [("head_node", None), ("queue debug", "cpu")]
    lines = hpc("images", stack).stdout.splitlines()
    assert [line for line in lines if line.startswith("queue debug: made by the recipe cpu from ")]
    assert not [line for line in lines if line.startswith("head_node: made")]


def test_a_recipe_that_is_not_there_is_refused(stack: str) -> None:
    done = hpc("image", "bundle", stack, "cpi")
    assert (done.returncode, done.stdout) == (2, "")
    assert "has no recipe 'cpi'; did you mean cpu?" in done.stderr
    done = hpc("image", "bundle", "aws-cfd", "cpu")
    assert "aws-cfd has no recipe 'cpu'; describe one in `images`" in done.stderr


def test_a_description_with_errors_has_no_bundle(stack: str) -> None:
    text = Path(stack).read_text()
    Path(stack).write_text(text.replace("10.90.0.0/16", "10.90.0.0/40"))
    done = hpc("image", "bundle", stack, "cpu")
    assert (done.returncode, done.stdout) == (1, "")
    assert "no bundle: fix the errors first" in done.stderr


def test_recipe_can_not_be_run_without_a_root_file_system_of_its_system(stack: str, tmp_path: Path) -> None:
    for verb in ("build", "test"):
        done = hpc("image", verb, stack, "--root", str(tmp_path))
        assert (done.returncode, done.stdout) == (2, "")
        assert "can't run this recipe here: " in done.stderr
        assert "has no etc/os-release; specify a root file system of ubuntu-24.04" in " ".join(done.stderr.split())


def test_result_never_replaces_a_directory(stack: str, tmp_path: Path) -> None:
    done = hpc("image", "build", stack, "--root", "/", "--out", str(tmp_path))
    assert (done.returncode, done.stdout) == (2, "")
    assert "exists already; specify a new directory with --out" in " ".join(done.stderr.split())


def run_as_if(monkeypatch: pytest.MonkeyPatch, failure: str | BaseException | None, *arguments: str) -> Result:
    """`hpc image` on a machine where the bundle ends like this."""

    def run_bundle(verb: container.Verb, *_: object, on_step: object = None, **__: object) -> ImageRun:
        if isinstance(failure, BaseException):
            raise failure
        step = StepRun(step="packages", seconds=31.94)
        if callable(on_step):
            on_step(step)
        return ImageRun(verb=verb, steps=(step,), failure=failure)

    monkeypatch.setattr(container, "lacking", lambda root, system: iter(()))
    monkeypatch.setattr(container, "run_bundle", run_bundle)
    return CliRunner().invoke(main, ["image", *arguments])


def test_run_shows_the_seconds_of_each_step(stack: str, monkeypatch: pytest.MonkeyPatch) -> None:
    done = run_as_if(monkeypatch, None, "build", stack, "--root", "/")
    assert (done.exit_code, done.output) == (0, "packages             31.9 s\nbuild of cpu succeeded\n")


def test_failed_run_is_exit_code_1_in_both_formats(stack: str, monkeypatch: pytest.MonkeyPatch) -> None:
    done = run_as_if(monkeypatch, "packages: no such package", "test", stack, "cpu", "--root", "/")
    assert (done.exit_code, done.output.splitlines()[-1]) == (1, "test of cpu FAILED: packages: no such package")
    done = run_as_if(monkeypatch, "no such package", "build", stack, "--root", "/", "--format", "json")
    document = json.loads(done.output)
    assert (done.exit_code, document["passed"], document["failure"]) == (1, False, "no such package")
    assert (document["verb"], document["steps"]) == ("build", [{"step": "packages", "seconds": 31.94}])


def test_interrupted_run_says_that_nothing_is_left(stack: str, monkeypatch: pytest.MonkeyPatch) -> None:
    done = run_as_if(monkeypatch, KeyboardInterrupt(), "build", stack, "--root", "/")
    assert (done.exit_code, done.output) == (130, "interrupted; nothing is left behind\n")
