"""`hpc images`: what public images contain, and which images the nodes of a cluster boot from."""

import json
from pathlib import Path

import pytest

from hpc_components.cloud import CLOUDS
from tests.cli.running import ROOT, hpc, on_terminal

LACKING = str(ROOT / "tests" / "corpus" / "HPC-OSI-009-kernel-newer-than-the-client.yaml")


def test_public_images_of_all_clouds_are_listed_with_their_sources() -> None:
    first, second = (hpc("images", "--format", "json") for _ in range(2))
    assert (first.returncode, first.stdout) == (0, second.stdout)
    images = json.loads(first.stdout)["images"]
    assert {image["cloud"] for image in images} == set(CLOUDS)
    assert all(image["source"] and image["as_of"] for image in images)
    (hpc_image,) = (one for one in images if one["image"] == "microsoft-dsvm:ubuntu-hpc:2404:24.04.2026072901")
    assert hpc_image["software"]["cuda"] == "13.0"
    assert hpc_image["lustre_client"] == "2.17.0, in the image"
    assert hpc_image["slurm"] == "23.11"


def test_images_of_one_cloud_are_a_table_with_headings() -> None:
    _, _, _, headings, _, first, *_ = hpc("images", "--cloud", "gcp", env={"COLUMNS": "160"}).stdout.splitlines()
    assert headings.split()[:2] == ["os", "arch"]
    assert first.split()[:2] == ["ubuntu-24.04", "x86_64"]


def test_a_narrow_terminal_shows_all_of_the_tables() -> None:
    shown = on_terminal("images", "--cloud", "azure", columns=70, env={"NO_COLOR": "1"})
    assert max(map(len, shown.splitlines())) <= 70
    assert "version: 24.04.2026072901" in " ".join(shown.split())


def test_a_node_that_lacks_something_fails_the_command() -> None:
    done = hpc("images", LACKING)
    assert done.returncode == 1
    assert "lacks a Lustre client for kernel 7.0 (there are packages up to 6.17)" in done.stdout
    document = json.loads(hpc("images", LACKING, "--format", "json").stdout)
    by_nodes = {node["nodes"]: node for node in document["nodes"]}
    assert [node for node, facts in by_nodes.items() if facts["lacks"]] == ["queue gpu"]
    assert by_nodes["queue gpu"]["contents"]["kernel"] == "7.0.0-1012-aws"


@pytest.mark.parametrize("stack", ["aws-ultracluster", "azure-nd", "gcp-h4d", "gcp-ultracluster"])
def test_images_of_our_stacks_lack_nothing(stack: str) -> None:
    done = hpc("images", stack)
    assert (done.returncode, done.stderr) == (0, "")
    assert "head_node: " in done.stdout
    assert "lacks" not in done.stdout


def test_the_age_is_that_of_the_rule() -> None:
    document = json.loads(hpc("images", "aws-cfd", "--format", "json").stdout)
    head = document["nodes"][0]
    assert (head["made"], head["age_days"]) == ("2026-07-14", 131)


def test_a_malformed_description_shows_its_errors(tmp_path: Path) -> None:
    file = tmp_path / "cluster.yaml"
    file.write_text("config:\n  hpc:cluster:\n    name: cfd\n    cloud: aws\n")
    done = hpc("images", str(file))
    assert done.returncode == 1
    assert "can't choose images: fix the errors first" in done.stderr
    as_json = hpc("images", str(file), "--format", "json")
    assert json.loads(as_json.stdout)["clusters"][0]["findings"]


def test_an_unreadable_file_is_an_error() -> None:
    done = hpc("images", "nowhere.yaml")
    assert done.returncode == 2
    assert done.stderr.startswith("Error: ")


def test_a_stack_has_its_own_cloud() -> None:
    done = hpc("images", "aws-cfd", "--cloud", "gcp")
    assert done.returncode == 2
    assert done.stderr == "Error: a stack has its own cloud; leave out --cloud, or leave out the stack\n"


def test_control_characters_in_a_name_are_shown_visibly(tmp_path: Path) -> None:
    text = Path(LACKING).read_text(encoding="utf-8")
    file = tmp_path / "cluster.yaml"
    file.write_text(text.replace("name: gpu", 'name: "g\\e[31mpu"'), encoding="utf-8")
    assert "\x1b" not in hpc("images", str(file)).stdout
